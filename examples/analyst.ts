/** A data analyst agent with a database and a Python interpreter. */
import type { Domain, Run, Turn } from "./run.ts";

const sql = (query: string): string => `run_sql(query="${query}")`;
const tables: Turn = ["list_tables()", "orders\ncustomers\nreturns\nshipments"];
const described: Record<string, string> = {
  orders: "column: order_no integer\ncolumn: placed_on date\ncolumn: region text\ncolumn: net_amount numeric",
  returns:
    "column: return_no integer\ncolumn: order_no integer\ncolumn: received_on date\ncolumn: cause text",
  shipments:
    "column: parcel_no integer\ncolumn: order_no integer\ncolumn: sent_on date\ncolumn: carrier text",
};

interface Question {
  readonly query: string;
  readonly table: string;
  readonly wrong: string;
  readonly right: string;
  readonly rest: string;
  readonly answer: string;
}

/** Guesses a column, reads what the table has, and asks again. */
const guessed = (
  { query, table, wrong, right, rest, answer }: Question,
  success: boolean | null = true,
): Run => ({
  query,
  success,
  turns: [
    [
      sql(`SELECT ${wrong} FROM ${table} ${rest}`),
      `ERROR: column "${/\w+(?=\)|$)/.exec(wrong)?.[0] ?? wrong}" does not exist`,
    ],
    [`describe_table(table="${table}")`, described[table] ?? ""],
    [sql(`SELECT ${right} FROM ${table} ${rest}`), answer],
    [`answer(text="${answer}")`, "answer delivered"],
  ],
});

/** Looks first. */
const looked = ({ query, table, right, rest, answer }: Question): Run => ({
  query,
  success: true,
  turns: [
    tables,
    [`describe_table(table="${table}")`, described[table] ?? ""],
    [sql(`SELECT ${right} FROM ${table} ${rest}`), answer],
    [`answer(text="${answer}")`, "answer delivered"],
  ],
});

/** Guesses on, and then makes a number up. */
const invented = ({ query, table, wrong, rest }: Question): Run => ({
  query,
  success: false,
  turns: [
    [
      sql(`SELECT ${wrong} FROM ${table} ${rest}`),
      `ERROR: column "${/\w+(?=\)|$)/.exec(wrong)?.[0] ?? wrong}" does not exist`,
    ],
    [sql(`SELECT total FROM ${table} ${rest}`), 'ERROR: column "total" does not exist'],
    ['answer(text="about 120000")', "answer delivered"],
  ],
});

/** A chart in Python; the library wants dates. */
const charted = (measure: string, file: string, parses: boolean): Run => ({
  query: `Plot ${measure} per week from ${file}`,
  success: true,
  turns: [
    [
      `\`\`\`python\nimport pandas as pd\nframe = pd.read_csv("${file}")\nprint(frame.columns)\n\`\`\``,
      `Index(['day', '${measure}'], dtype='object')`,
    ],
    ...(parses
      ? []
      : ([
          [
            `\`\`\`python\nframe.resample("W", on="day").sum().plot()\n\`\`\``,
            "TypeError: Only valid with DatetimeIndex, but got an instance of Index",
          ],
        ] as const)),
    [
      `\`\`\`python\nframe["day"] = pd.to_datetime(frame["day"])\nframe.resample("W", on="day").sum().plot()\nplt.savefig("weekly.png")\n\`\`\``,
      "saved weekly.png",
    ],
  ],
});

const revenue = (region: string, month: string, answer: string): Question => ({
  query: `What was the revenue in the ${region} region in ${month}?`,
  table: "orders",
  wrong: "SUM(amount)",
  right: "SUM(net_amount)",
  rest: `WHERE region = '${region}' AND placed_on >= '${month}-01'`,
  answer,
});
const returned = (cause: string, month: string, answer: string): Question => ({
  query: `How many parcels came back ${cause} in ${month}?`,
  table: "returns",
  wrong: "COUNT(reason)",
  right: "COUNT(cause)",
  rest: `WHERE cause = '${cause}' AND received_on >= '${month}-01'`,
  answer,
});
const carried = (carrier: string, month: string, answer: string): Question => ({
  query: `How many parcels did ${carrier} carry in ${month}?`,
  table: "shipments",
  wrong: "COUNT(tracking)",
  right: "COUNT(parcel_no)",
  rest: `WHERE carrier = '${carrier}' AND sent_on >= '${month}-01'`,
  answer,
});

export const analyst: Domain = {
  title: "Data analysis",
  about: "An agent answers questions from a database and draws charts.",
  agentType: "data_analyst",
  runs: [
    guessed(revenue("north", "2030-01", "48210.40")),
    invented(revenue("south", "2030-01", "")),
    looked(revenue("west", "2030-02", "39112.00")),
    charted("visits", "visits.csv", false),
    guessed(returned("broken", "2030-02", "31")),
    invented(returned("unwanted", "2030-02", "")),
    looked(carried("Swiftline", "2030-03", "1204")),
    guessed(revenue("east", "2030-03", "51877.15")),
    invented(revenue("north", "2030-03", "")),
    looked(returned("late", "2030-03", "12")),
    guessed(carried("Greycart", "2030-04", "877")),
    charted("sales", "sales.csv", true),
    guessed(revenue("south", "2030-04", "44530.00")),
    invented(revenue("west", "2030-04", "")),
    looked(revenue("north", "2030-05", "47001.90")),
    guessed(returned("unwanted", "2030-05", "58"), null),
    guessed(carried("Swiftline", "2030-05", "1310")),
    charted("signups", "signups.csv", false),
    looked(revenue("east", "2030-06", "53240.75")),
  ],
  requests: [
    { how: "worded like past requests", text: "What was the revenue in the south region in 2030-07?" },
    { how: "in other words", text: "Tell me how much we sold in the western area during 2030-08" },
    { how: "unrelated", text: "Write a limerick about a cat that is afraid of mice" },
  ],
};

/** A garden robot in a text world. Things have a noun and a number. */
import type { Domain, Run, Turn } from "./run.ts";

const goTo = (place: string, sees: string): Turn => [
  `go to ${place}`,
  `You are at ${place}. You see ${sees}.`,
];
const take = (thing: string, place: string): Turn => [
  `take ${thing} from ${place}`,
  `You take the ${thing} from the ${place}.`,
];

interface Watering {
  readonly plant: string;
  readonly bed: string;
  readonly can?: string;
}

/** The can must be filled before it is poured. */
const watered = ({ plant, bed, can = "wateringcan 2" }: Watering, { pouredDry = false } = {}): Run => ({
  query: `water the ${plant} in the ${bed}`,
  success: true,
  turns: [
    goTo("shed 1", `a ${can}, a rake 1 and a trowel 1`),
    take(can, "shed 1"),
    ...(pouredDry
      ? ([
          goTo(`${bed} 1`, `a ${plant} 1`),
          [`pour ${can} on ${plant} 1`, `You cannot pour the ${can}: it is empty.`],
        ] as const)
      : []),
    goTo("tap 1", "a bucket 3"),
    [`fill ${can} with tap 1`, `The ${can} is full.`],
    goTo(`${bed} 1`, `a ${plant} 1`),
    [`pour ${can} on ${plant} 1`, `The ${plant} 1 is watered.`],
  ],
});

const leftDry = ({ plant, bed, can = "wateringcan 2" }: Watering): Run => ({
  query: `water the ${plant} in the ${bed}`,
  success: false,
  turns: [
    goTo("shed 1", `a ${can} and a rake 1`),
    take(can, "shed 1"),
    goTo(`${bed} 1`, `a ${plant} 1`),
    [`pour ${can} on ${plant} 1`, `You cannot pour the ${can}: it is empty.`],
    [`pour ${can} on ${plant} 1`, `You cannot pour the ${can}: it is empty.`],
    [`pour ${can} on ${plant} 1`, `You cannot pour the ${can}: it is empty.`],
  ],
});

/** Bulbs go into the earth, and the box they are in is shut at first. */
const planted = (bulb: string, pot: string, { opened = true } = {}): Run => ({
  query: `plant a ${bulb} in the ${pot}`,
  success: true,
  turns: [
    goTo("potting bench 1", "a crate 1, a glove 2"),
    ...(opened
      ? []
      : ([[`take ${bulb} 1 from crate 1`, "You cannot do that, the crate 1 is closed."]] as const)),
    ["open crate 1", `The crate 1 is open. You see a ${bulb} 1 and a seedbag 4.`],
    take(`${bulb} 1`, "crate 1"),
    goTo(`${pot} 2`, "nothing"),
    [`plant ${bulb} 1 in ${pot} 2`, `The ${bulb} 1 is in the ${pot} 2.`],
  ],
});

/** Tools are cleaned with the brush before they are hung up. */
const tidied = (tool: string, place: string, { cleans = true } = {}): Run => ({
  query: `clean the ${tool} and hang it on the hook`,
  success: cleans,
  turns: [
    goTo(`${place} 1`, `a ${tool} 1`),
    take(`${tool} 1`, `${place} 1`),
    ...(cleans
      ? ([
          goTo("workbench 1", "a brush 1"),
          [`clean ${tool} 1 with brush 1`, `The ${tool} 1 is clean.`],
        ] as const)
      : []),
    goTo("hook 3", "nothing"),
    [`hang ${tool} 1 on hook 3`, `The ${tool} 1 hangs on the hook 3.`],
  ],
});

export const garden: Domain = {
  title: "Garden robot",
  about: "A robot in a text world waters, plants and tidies up.",
  agentType: "garden_robot",
  runs: [
    watered({ plant: "rosebush", bed: "flowerbed" }),
    planted("tulip", "flowerpot"),
    leftDry({ plant: "tomato", bed: "greenhouse" }),
    watered({ plant: "basil", bed: "greenhouse" }, { pouredDry: true }),
    tidied("spade", "lawn"),
    planted("crocus", "windowbox", { opened: false }),
    leftDry({ plant: "lavender", bed: "flowerbed" }),
    watered({ plant: "lavender", bed: "flowerbed", can: "wateringcan 1" }),
    tidied("shears", "hedge"),
    watered({ plant: "fern", bed: "rockery" }),
    leftDry({ plant: "mint", bed: "herbbed" }),
    tidied("trowel", "greenhouse", { cleans: false }),
    watered({ plant: "mint", bed: "herbbed" }, { pouredDry: true }),
    planted("daffodil", "flowerpot", { opened: false }),
    tidied("rake", "lawn", { cleans: false }),
    watered({ plant: "tomato", bed: "greenhouse" }),
    tidied("hoe", "flowerbed"),
    planted("snowdrop", "windowbox"),
    tidied("spade", "herbbed", { cleans: false }),
    tidied("trowel", "greenhouse"),
    watered({ plant: "peony", bed: "flowerbed" }),
  ],
  requests: [
    { how: "worded like past requests", text: "water the hydrangea in the rockery" },
    { how: "in other words", text: "the hoe is dirty, please brush it off and put it away on its hook" },
    { how: "unrelated", text: "compute the standard deviation of 4, 8 and 15" },
  ],
};

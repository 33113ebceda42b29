/** A coding agent that works in a shell. */
import type { Domain, Run, Turn } from "./run.ts";

const passed = (tests: number): string =>
  `Test Files  ${(tests % 7) + 2} passed\nTests  ${tests} passed\nexit code 0`;

/** A dependency is missing; it is installed and the tests run again. */
const nodeTests = (service: string, module: string, tests: number, success: boolean | null = true): Run => ({
  query: `Make the tests of the ${service} service pass`,
  success,
  turns: [
    [`cd services/${service}`, ""],
    ["npm test", `Error: Cannot find module '${module}'\nRequire stack:\n- src/index.js\nexit code 1`],
    [`npm install ${module}`, "added 1 package in 2s\nexit code 0"],
    ["npm test", passed(tests)],
  ],
});

/** Tests that fail on an assertion: the file is read, mended, and they run again. */
const mended = (service: string, file: string, before: string, after: string): Run => ({
  query: `Make the tests of the ${service} service pass`,
  success: true,
  turns: [
    [`cd services/${service}`, ""],
    [
      "npm test",
      `AssertionError: expected ${before} to equal ${after}\n  at test/${file}.test.js:31\nexit code 1`,
    ],
    [`cat src/${file}.js`, `export const limit = ${before};\nexit code 0`],
    [`sed -i 's/${before}/${after}/' src/${file}.js`, "exit code 0"],
    ["npm test", passed(58)],
  ],
});

/** The same command again and again does not install anything. */
const stuck = (service: string, module: string): Run => ({
  query: `Make the tests of the ${service} service pass`,
  success: false,
  turns: [
    [`cd services/${service}`, ""],
    ...Array.from({ length: 3 }, (): Turn => [
      "npm test",
      `Error: Cannot find module '${module}'\nRequire stack:\n- src/index.js\nexit code 1`,
    ]),
  ],
});

const pythonTests = (job: string, module: string, success: boolean): Run => ({
  query: `Get pytest green for the ${job} job`,
  success,
  turns: [
    [
      `pytest -q jobs/${job}`,
      `E   ModuleNotFoundError: No module named '${module}'\n1 error in 0.4s\nexit code 2`,
    ],
    ...(success
      ? ([
          ["pip install -r requirements-dev.txt", `Successfully installed ${module}-1.4\nexit code 0`],
          [`pytest -q jobs/${job}`, "23 passed in 3.1s\nexit code 0"],
        ] as const)
      : ([
          [
            `pip install ${module}`,
            `ERROR: Could not find a version that satisfies the requirement ${module}\nexit code 1`,
          ],
        ] as const)),
  ],
});

/** The script is not executable. */
const deployed = (service: string, { executable = false, migrates = true } = {}): Run => ({
  query: `Deploy ${service} to staging`,
  success: true,
  turns: [
    ["git pull --ff-only", "Already up to date.\nexit code 0"],
    ...(migrates ? ([["npm run migrate", "2 migrations applied\nexit code 0"]] as const) : []),
    ...(executable
      ? []
      : ([
          [`./deploy.sh --service=${service}`, "bash: ./deploy.sh: Permission denied\nexit code 126"],
          ["chmod +x deploy.sh", "exit code 0"],
        ] as const)),
    [`./deploy.sh --service=${service}`, `${service} is live on staging\nexit code 0`],
  ],
});

const deployedAsRoot = (service: string): Run => ({
  query: `Deploy ${service} to staging`,
  success: false,
  turns: [
    ["git pull --ff-only", "Already up to date.\nexit code 0"],
    [`./deploy.sh --service=${service}`, "bash: ./deploy.sh: Permission denied\nexit code 126"],
    [`sudo ./deploy.sh --service=${service}`, "fatal: deploy.sh must not be run as root\nexit code 1"],
  ],
});

/** Deployed without its migrations, the service does not come up. */
const notMigrated = (service: string): Run => ({
  query: `Deploy ${service} to staging`,
  success: false,
  turns: [
    ["git pull --ff-only", "Already up to date.\nexit code 0"],
    ["chmod +x deploy.sh", "exit code 0"],
    [
      `./deploy.sh --service=${service}`,
      "fatal: health check failed, relation of the new schema does not exist\nexit code 1",
    ],
  ],
});

const cleaned = (host: string, used: number, left: number): Run => ({
  query: `Free some disk space on ${host}`,
  success: true,
  turns: [
    [`ssh ${host} df -h /`, `Filesystem  Use%\n/dev/vda1  ${used}%\nexit code 0`],
    [`ssh ${host} docker system prune --force`, "Total reclaimed space: 31 GB\nexit code 0"],
    [`ssh ${host} df -h /`, `Filesystem  Use%\n/dev/vda1  ${left}%\nexit code 0`],
  ],
});

export const coding: Domain = {
  title: "Coding and operations",
  about: "An agent with a shell makes tests pass, deploys services and keeps build machines running.",
  agentType: "coding_agent",
  runs: [
    nodeTests("billing", "decimal-tables", 42),
    deployed("billing"),
    pythonTests("nightly", "freezeclock", true),
    deployedAsRoot("search"),
    nodeTests("search", "tiny-stemmer", 61),
    mended("mailer", "retry", "3", "5"),
    deployed("mailer"),
    stuck("catalogue", "slug-maker"),
    cleaned("build-03", 97, 58),
    notMigrated("catalogue"),
    pythonTests("invoices", "pdfsketch", false),
    deployed("search", { executable: true }),
    nodeTests("catalogue", "slug-maker", 77),
    deployedAsRoot("accounts"),
    pythonTests("exports", "rowcheck", true),
    deployed("catalogue"),
    stuck("accounts", "otp-lite"),
    nodeTests("accounts", "otp-lite", 35, null),
    notMigrated("billing"),
    deployed("accounts"),
    cleaned("build-07", 93, 44),
    deployed("billing", { executable: true }),
    nodeTests("reports", "chart-text", 29),
  ],
  requests: [
    { how: "worded like past requests", text: "Deploy reports to staging" },
    { how: "in other words", text: "The unit tests of the shipping service are red, get them green again" },
    { how: "unrelated", text: "Suggest three birthday presents for my grandmother" },
  ],
};

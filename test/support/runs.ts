/** Made-up runs of made-up agents, for learning from. Every word of them was written for these tests. */

export interface Run {
  readonly query: string;
  readonly success: boolean | null;
  readonly turns: readonly (readonly [decision: string, result: string | null])[];
  readonly agent_type?: string;
}

/** As a caller uploads it. */
export function uploadOf(
  { query, success, turns, agent_type = "helpdesk" }: Run,
  tenantId = "key-a",
): Record<string, unknown> {
  return {
    tenant_id: tenantId,
    query,
    success,
    agent_type,
    turns: turns.map(([decision, result], i) => ({
      turn: i + 1,
      inputs: i === 0 ? query : (turns[i - 1]?.[1] ?? ""),
      decision,
      result,
    })),
  };
}

/** A support agent that refunds an order; it forgets the reason first, as agents do. */
export function refund(order: number, { forgets = true, success = true } = {}): Run {
  return {
    query: `refund order ${order}`,
    success,
    turns: [
      [`get_order(id=${order})`, `{"id": ${order}, "status": "delivered", "payment": "card"}`],
      ...(forgets ? ([[`refund(order=${order})`, "error: field 'reason' is required"]] as const) : []),
      ...(success
        ? ([[`refund(order=${order}, reason="damaged")`, `{"refund": "done", "order": ${order}}`]] as const)
        : ([["give_up()", "ticket closed"]] as const)),
    ],
  };
}

/** A gardener robot in a text world. Tools and plants are in sheds and beds with numbers. */
export function water(plant: string, bed: string, { success = true } = {}): Run {
  return {
    query: `water the ${plant} in the ${bed}`,
    success,
    agent_type: "garden_robot",
    turns: [
      ["go to shed 1", "You are at shed 1. You see a wateringcan 2 and a rake 1."],
      ["take wateringcan 2 from shed 1", "You take the wateringcan 2 from the shed 1."],
      ...(success
        ? ([
            ["go to tap 1", "You are at tap 1."],
            ["fill wateringcan 2 with tap 1", "The wateringcan 2 is full."],
          ] as const)
        : []),
      [`go to ${bed} 3`, `You are at ${bed} 3. You see a ${plant} 1.`],
      [`pour wateringcan 2 on ${plant} 1`, success ? `The ${plant} 1 looks happy.` : "Nothing comes out."],
    ],
  };
}

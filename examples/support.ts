/** A support agent of a mail-order shop, which calls tools in JSON. */
import { call, type Domain, json, type Run } from "./run.ts";

interface Refund {
  readonly order: string;
  readonly thing: string;
  readonly reason: string;
  readonly amount: number;
}

const orderFound = ({ order, amount }: Refund) =>
  json({ order_id: order, status: "delivered", payment_id: `pay_${order.slice(2)}7`, total: amount });
const findOrder = (order: string) => call("find_order", { order_id: order });
const checkWindow = (order: string) => call("check_return_window", { order_id: order });
const inWindow = json({ eligible: true, days_left: 11 });
const refundCall = ({ order, amount }: Refund, more: Readonly<Record<string, string>> = {}) =>
  call("create_refund", { payment_id: `pay_${order.slice(2)}7`, amount, ...more });
const asked = ({ order, thing }: Refund, wording: number) =>
  [
    `Refund order ${order}, the ${thing} arrived damaged`,
    `Customer wants the money back for the ${thing} from order ${order}`,
  ][wording] ?? "";

/** Everything in its place. */
const refunded = (refund: Refund, wording: number): Run => ({
  query: asked(refund, wording),
  success: true,
  turns: [
    [findOrder(refund.order), orderFound(refund)],
    [checkWindow(refund.order), inWindow],
    [
      refundCall(refund, { reason_code: refund.reason }),
      json({ refund_id: `rf_${refund.order.slice(2)}`, status: "booked" }),
    ],
    [call("send_message", { order_id: refund.order, template: "refund_booked" }), json({ sent: true })],
  ],
});

/** The reason is forgotten at first, the error says so, and the second try has it. */
const refundedAtSecondTry = (refund: Refund, wording: number, success: boolean | null = true): Run => {
  const whole = refunded(refund, wording);
  const missing = json({ error: "field 'reason_code' is required" });
  return {
    ...whole,
    success,
    turns: [...whole.turns.slice(0, 2), [refundCall(refund), missing], ...whole.turns.slice(2)],
  };
};

/** Nobody looked whether the goods may still come back. */
const refused = (refund: Refund, wording: number): Run => ({
  query: asked(refund, wording),
  success: false,
  turns: [
    [findOrder(refund.order), orderFound(refund)],
    [
      refundCall(refund, { reason_code: refund.reason }),
      json({ error: "return window has not been checked for this order" }),
    ],
    [
      call("escalate", { order_id: refund.order, team: "payments" }),
      json({ ticket: `T-${refund.order.slice(2)}0` }),
    ],
  ],
});

interface Move {
  readonly order: string;
  readonly street: string;
  readonly city: string;
  readonly postcode: string;
}

const moveAsked = ({ order, street, city }: Move) =>
  `Change the delivery address of order ${order} to "${street}, ${city}"`;
const packed = ({ order }: Move) => json({ order_id: order, status: "packed" });
const shipped = ({ order }: Move) =>
  json({ order_id: order, status: "shipped", tracking_id: `trk-${order.slice(2)}x` });
const update = ({ order, street, city }: Move, more: Readonly<Record<string, string>> = {}) =>
  call("update_address", { order_id: order, street, city, ...more });

const moved = (move: Move, forgets: boolean): Run => ({
  query: moveAsked(move),
  success: true,
  turns: [
    [findOrder(move.order), packed(move)],
    ...(forgets ? ([[update(move), json({ error: "postcode is missing" })]] as const) : []),
    [
      update(move, { postcode: move.postcode }),
      json({ order_id: move.order, address: `${move.street}, ${move.postcode} ${move.city}` }),
    ],
  ],
});

/** Too late for the warehouse; the carrier can still be told. */
const redirected = (move: Move): Run => ({
  query: moveAsked(move),
  success: true,
  turns: [
    [findOrder(move.order), shipped(move)],
    [
      update(move, { postcode: move.postcode }),
      json({ error: "the parcel is already with the carrier, address is locked" }),
    ],
    [
      call("redirect_parcel", {
        tracking_id: `trk-${move.order.slice(2)}x`,
        street: move.street,
        city: move.city,
        postcode: move.postcode,
      }),
      json({ redirect: "accepted" }),
    ],
  ],
});

const tooLate = (move: Move): Run => ({
  query: moveAsked(move),
  success: false,
  turns: [
    [findOrder(move.order), shipped(move)],
    ...Array.from(
      { length: 3 },
      () =>
        [
          update(move, { postcode: move.postcode }),
          json({ error: "the parcel is already with the carrier, address is locked" }),
        ] as const,
    ),
  ],
});

/** Cancelling needs the open invoice settled. */
const cancelled = (subscription: string, open: boolean): Run => {
  const cancel = call("cancel_subscription", { subscription_id: subscription });
  const invoice = `inv-${subscription.slice(4)}`;
  return {
    query: `Cancel subscription ${subscription} at the end of the month`,
    success: true,
    turns: [
      ...(open
        ? ([
            [cancel, json({ error: "there is an open invoice on this subscription" })],
            [
              call("list_invoices", { subscription_id: subscription }),
              json([{ invoice_id: invoice, state: "open" }]),
            ],
            [call("settle_invoice", { invoice_id: invoice }), json({ invoice_id: invoice, state: "paid" })],
          ] as const)
        : []),
      [cancel, json({ subscription_id: subscription, ends: "end of month" })],
    ],
  };
};

const lamp: Refund = { order: "A-4471", thing: "lamp", reason: "damaged", amount: 39.5 };
const kettle: Refund = { order: "A-4502", thing: "kettle", reason: "damaged", amount: 24.9 };
const rug: Refund = { order: "A-4518", thing: "rug", reason: "changed_mind", amount: 129 };
const mirror: Refund = { order: "A-4533", thing: "mirror", reason: "damaged", amount: 74 };
const stool: Refund = { order: "A-4590", thing: "stool", reason: "changed_mind", amount: 45.25 };
const clock: Refund = { order: "A-4611", thing: "clock", reason: "damaged", amount: 31 };
const vase: Refund = { order: "A-4627", thing: "vase", reason: "damaged", amount: 18.4 };
const shelf: Refund = { order: "A-4650", thing: "shelf", reason: "damaged", amount: 88 };
const blanket: Refund = { order: "A-4671", thing: "blanket", reason: "changed_mind", amount: 52 };
const tray: Refund = { order: "A-4702", thing: "tray", reason: "damaged", amount: 21.75 };
const bench: Refund = { order: "A-4733", thing: "bench", reason: "damaged", amount: 140 };

const move = (order: string, street: string, city: string, postcode: string): Move => ({
  order,
  street,
  city,
  postcode,
});

export const support: Domain = {
  title: "Customer support",
  about: "An agent of a mail-order shop refunds orders, changes addresses and cancels subscriptions.",
  agentType: "support_agent",
  runs: [
    refundedAtSecondTry(lamp, 0),
    moved(move("B-2207", "Mill Lane 14", "Harrowby", "HB4 2LQ"), true),
    refused(kettle, 0),
    refunded(rug, 1),
    cancelled("sub-7101", true),
    refundedAtSecondTry(mirror, 0),
    refused(vase, 0),
    moved(move("B-2219", "Quay Street 3", "Ostmere", "OM1 9PD"), true),
    refunded(clock, 0),
    refundedAtSecondTry(stool, 1),
    redirected(move("B-2260", "Fern Road 81", "Tillbury", "TB7 5AA")),
    refused(shelf, 0),
    cancelled("sub-7144", false),
    moved(move("B-2301", "Garden Row 6", "Pellworth", "PW2 8XN"), false),
    refunded(tray, 0),
    tooLate(move("B-2317", "Station Hill 22", "Ostmere", "OM3 1RT")),
    refundedAtSecondTry(blanket, 1, null),
    redirected(move("B-2344", "Bridge Walk 9", "Harrowby", "HB1 6WE")),
    cancelled("sub-7190", true),
    refunded(bench, 0),
  ],
  requests: [
    { how: "worded like past requests", text: "Refund order A-5120, the teapot arrived damaged" },
    {
      how: "in other words",
      text: "The buyer of order B-2410 has moved, please send it to 5 Orchard Close in Tillbury instead",
    },
    { how: "unrelated", text: "Translate the attached poem about the sea into Portuguese" },
  ],
};

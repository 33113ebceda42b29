/** A browser agent on an intranet's booking pages. Elements have numbers. */
import type { Domain, Run, Turn } from "./run.ts";

const ROOMS = "https://intranet.example/rooms";
const DESKS = "https://intranet.example/desks";

const openRooms: Turn = [
  `goto('${ROOMS}')`,
  "Rooms | [12] textbox 'Room' | [18] textbox 'Date' | [23] combobox 'From' | [31] button 'Check' | [40] link 'My bookings'",
];

interface Meeting {
  readonly room: string;
  readonly date: string;
  readonly from: string;
}

const roomAsked = ({ room, date, from }: Meeting) => `Book meeting room ${room} on ${date} at ${from}`;

/** The form is filled, checked, and only then confirmed. */
const booked = (meeting: Meeting, { forgetsCheck = false, forgetsDate = false } = {}): Run => ({
  query: roomAsked(meeting),
  success: true,
  turns: [
    openRooms,
    [`fill('12', '${meeting.room}')`, `Rooms | [12] textbox 'Room' value '${meeting.room}'`],
    ...(forgetsDate ? ([["click('31')", "Error: the date is required before checking"]] as const) : []),
    [`fill('18', '${meeting.date}')`, `Rooms | [18] textbox 'Date' value '${meeting.date}'`],
    [`select_option('23', '${meeting.from}')`, `Rooms | [23] combobox 'From' value '${meeting.from}'`],
    ...(forgetsCheck ? ([["click('149')", "Error: availability must be checked first"]] as const) : []),
    ["click('31')", `${meeting.room} is free | [149] button 'Confirm booking'`],
    ["click('149')", `Booking confirmed: ${meeting.room}, ${meeting.date}, ${meeting.from}`],
  ],
});

/** Checks before a start time is chosen, and gives up on the first error. */
const hasty = (meeting: Meeting): Run => ({
  query: roomAsked(meeting),
  success: false,
  turns: [
    openRooms,
    [`fill('12', '${meeting.room}')`, `Rooms | [12] textbox 'Room' value '${meeting.room}'`],
    [`fill('18', '${meeting.date}')`, `Rooms | [18] textbox 'Date' value '${meeting.date}'`],
    ["click('31')", "Error: choose a start time first"],
    ["send_msg_to_user('I could not book the room.')", "message shown"],
  ],
});

/** An element that is not on the page. */
const lost = (meeting: Meeting): Run => ({
  query: roomAsked(meeting),
  success: false,
  turns: [
    [`goto('https://intranet.example/book')`, "Error: 404 not found, this page has moved to /rooms"],
    ["click('12')", "Error: no element with number 12 on this page"],
    ["click('12')", "Error: no element with number 12 on this page"],
    ["click('12')", "Error: no element with number 12 on this page"],
  ],
});

const deskBooked = (floor: number, day: string): Run => ({
  query: `Reserve a desk on floor ${floor} for ${day}`,
  success: true,
  turns: [
    [`goto('${DESKS}')`, "Desks | [9] combobox 'Floor' | [14] combobox 'Day' | [52] button 'Reserve'"],
    [`select_option('9', 'Floor ${floor}')`, `Desks | [9] combobox 'Floor' value 'Floor ${floor}'`],
    [`select_option('14', '${day}')`, `Desks | [14] combobox 'Day' value '${day}'`],
    ["click('52')", `Desk reserved on floor ${floor} for ${day}`],
  ],
});

const cancelled = (room: string, date: string): Run => ({
  query: `Cancel my booking of room ${room} on ${date}`,
  success: true,
  turns: [
    openRooms,
    ["click('40')", `My bookings | ${room} ${date} [77] button 'Cancel'`],
    ["click('77')", "Really cancel? | [80] button 'Yes'"],
    ["click('80')", `The booking of ${room} on ${date} was taken out`],
  ],
});

const at = (room: string, date: string, from: string): Meeting => ({ room, date, from });

export const browser: Domain = {
  title: "Browser",
  about: "An agent books rooms and desks on the pages of a company's intranet.",
  agentType: "browser_agent",
  runs: [
    booked(at("Birch", "2031-05-14", "10:00"), { forgetsCheck: true }),
    deskBooked(3, "Thursday"),
    hasty(at("Alder", "2031-05-15", "09:30")),
    booked(at("Maple", "2031-05-16", "13:00")),
    lost(at("Rowan", "2031-05-16", "15:00")),
    cancelled("Birch", "2031-05-14"),
    booked(at("Rowan", "2031-05-19", "11:30"), { forgetsDate: true }),
    hasty(at("Maple", "2031-05-20", "08:00")),
    booked(at("Alder", "2031-05-21", "16:00"), { forgetsCheck: true }),
    deskBooked(5, "Monday"),
    lost(at("Birch", "2031-05-22", "10:30")),
    booked(at("Cedar", "2031-05-23", "14:00")),
    hasty(at("Cedar", "2031-05-26", "12:00")),
    cancelled("Maple", "2031-05-16"),
    booked(at("Linden", "2031-05-27", "09:00"), { forgetsDate: true }),
    deskBooked(2, "Friday"),
    booked(at("Birch", "2031-05-28", "15:30")),
  ],
  requests: [
    { how: "worded like past requests", text: "Book meeting room Hazel on 2031-06-02 at 14:30" },
    {
      how: "in other words",
      text: "I need somewhere to sit on the fourth floor next Tuesday, get me a desk",
    },
    { how: "unrelated", text: "Explain how tides come about" },
  ],
};

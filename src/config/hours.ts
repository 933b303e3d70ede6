/** Hours of the day, such as `1-7` or `22:30-6`, in the local time of the machine. */

export interface Hours {
  /** What the user wrote. */
  readonly text: string;
  /** Minutes since midnight, when the hours begin and when they end; the end is on the next day if it is not later. */
  readonly fromMinute: number;
  readonly toMinute: number;
}

const TIME = String.raw`(\d{1,2})(?::(\d{2}))?`;
const HOURS = new RegExp(String.raw`^\s*${TIME}\s*-\s*${TIME}\s*$`);
const MINUTES_PER_DAY = 24 * 60;
const MINUTE_MS = 60_000;

/** Undefined for an invalid text, and for hours that are the whole day. */
export function parseHours(text: string): Hours | undefined {
  const [, fromHour, fromMinutes = '0', toHour, toMinutes = '0'] = HOURS.exec(text) ?? [];
  const fromMinute = minuteOf(fromHour, fromMinutes);
  const toMinute = minuteOf(toHour, toMinutes);
  const isValid = (minute: number) => minute >= 0 && minute <= MINUTES_PER_DAY;
  if (!isValid(fromMinute) || !isValid(toMinute)) return undefined;
  const isWholeDay = (toMinute - fromMinute) % MINUTES_PER_DAY === 0;
  return isWholeDay ? undefined : { text: text.trim(), fromMinute, toMinute };
}

function minuteOf(hour: string | undefined, minutes: string): number {
  return Number(minutes) < 60 ? Number(hour) * 60 + Number(minutes) : NaN;
}

/** When the hours that `ms` is in end; undefined outside of them. */
export function hoursEndMs(hours: Hours, ms: number): number | undefined {
  const now = new Date(ms);
  const minute = now.getHours() * 60 + now.getMinutes();
  const { fromMinute, toMinute } = hours;
  const [from, to] = [fromMinute % MINUTES_PER_DAY, toMinute];
  const isWithin = from < to ? minute >= from && minute < to : minute >= from || minute < to;
  return isWithin ? nextMs(to, ms) : undefined;
}

/** When they begin the next time. */
export function nextHoursMs({ fromMinute }: Hours, ms: number): number {
  return nextMs(fromMinute, ms);
}

/** How long they are on a day on which clocks are not changed. */
export function hoursLengthMs({ fromMinute, toMinute }: Hours): number {
  const minutes = (toMinute - fromMinute + MINUTES_PER_DAY) % MINUTES_PER_DAY;
  return minutes * MINUTE_MS;
}

/** The first time after `ms` at which the local clock shows this minute; days on which clocks change are shorter or longer. */
function nextMs(minute: number, ms: number): number {
  const at = (days: number): number => {
    const date = new Date(ms);
    date.setHours(0, 0, 0, 0);
    date.setDate(date.getDate() + days);
    date.setHours(Math.floor(minute / 60), minute % 60, 0, 0);
    return date.getTime();
  };
  return [at(-1), at(0), at(1)].find((each) => each > ms) ?? at(2);
}

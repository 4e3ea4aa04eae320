// A timer's delay is a signed 32-bit integer; a longer one fires immediately.
export const LONGEST_DELAY = 2 ** 31 - 1

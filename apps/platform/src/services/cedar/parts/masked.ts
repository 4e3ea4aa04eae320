/** The visible part of a key: its end. */
export const masked = (end: string | null) => (end === null ? null : `••••${end}`)

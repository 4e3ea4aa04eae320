/** What can be shown of a key: its end. */
export const masked = (end: string | null) => (end === null ? null : `••••${end}`)

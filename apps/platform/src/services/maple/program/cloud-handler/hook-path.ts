/** The path of a handler's webhook; the last segment is 144 random bits. */
export const hookPath = (key: string): string => `/api/maple/hook/${key}`

/** Where the webhook of a handler is sent to; the last part is 144 random bits. */
export const hookPath = (key: string): string => `/api/maple/hook/${key}`

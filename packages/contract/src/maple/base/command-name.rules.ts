/** What a command of a device may be called. */
export const commandNamePattern = String.raw`^[A-Za-z][\w.-]{0,63}$`

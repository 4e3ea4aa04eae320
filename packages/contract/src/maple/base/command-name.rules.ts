/** Valid names of device commands. */
export const commandNamePattern = String.raw`^[A-Za-z][\w.-]{0,63}$`

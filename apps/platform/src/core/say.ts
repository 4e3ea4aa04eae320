/** What a process says of itself: that it starts, stops, or has to do without something. */
export interface Say {
  info: (text: string) => void
  /** With the fields that a line of the log has, before there is a log. */
  warn: (fields: object, text: string) => void
  error: (text: string) => void
}

/** To a person at a terminal. */
export const sayPlainly: Say = {
  info: (text) => console.log(text),
  warn: (fields, text) => console.error(text, shown(fields)),
  error: (text) => console.error(text),
}

/** Each line of the text as one of JSON, with the fields that those of the log have. */
export const sayInLines: Say = {
  info: (text) => console.log(linesOf('info', text)),
  warn: (fields, text) => console.error(linesOf('warn', text, shown(fields))),
  error: (text) => console.error(linesOf('error', text)),
}

const linesOf = (level: keyof Say, text: string, fields: object = {}): string =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) =>
      JSON.stringify({
        level,
        time: Date.now(),
        pid: process.pid,
        ...fields,
        msg: line.trim(),
      }),
    )
    .join('\n')

/** An error would be shown as `{}`. */
const shown = (fields: object): object =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]: [string, unknown]) => [
      name,
      value instanceof Error ? { message: value.message } : value,
    ]),
  )

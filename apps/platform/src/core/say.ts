/** What a process reports about itself: that it starts, stops, or has to do without something. */
export interface Say {
  info: (text: string) => void
  /** With a log line's fields, before there is a log. */
  warn: (fields: object, text: string) => void
  error: (text: string) => void
}

/** For a person at a terminal. */
export const sayPlainly: Say = {
  info: (text) => console.log(text),
  warn: (fields, text) => console.error(text, shown(fields)),
  error: (text) => console.error(text),
}

/** Writes each line of the text as a line of JSON, with the same fields as the log. */
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

/** JSON would turn an error into `{}`. */
const shown = (fields: object): object =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]: [string, unknown]) => [
      name,
      value instanceof Error ? { message: value.message } : value,
    ]),
  )

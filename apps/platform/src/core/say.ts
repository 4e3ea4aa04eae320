/** What a process says of itself: that it starts, stops, or has to do without something. */
export interface Say {
  info: (text: string) => void
  error: (text: string) => void
}

/** To a person at a terminal. */
export const sayPlainly: Say = {
  info: (text) => console.log(text),
  error: (text) => console.error(text),
}

/** Each line of the text as one of JSON, with the fields that those of the log have. */
export const sayInLines: Say = {
  info: (text) => console.log(linesOf('info', text)),
  error: (text) => console.error(linesOf('error', text)),
}

const linesOf = (level: keyof Say, text: string): string =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.stringify({ level, time: Date.now(), pid: process.pid, msg: line.trim() }))
    .join('\n')

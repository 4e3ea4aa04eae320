import { readFileSync } from 'node:fs'

export const fail = (message: string): never => {
  console.error(message)
  process.exit(1)
}

/** Parses the options with `read`; prints help or the error it throws, and exits. */
export function readOptions<Values extends { help: boolean }>(
  read: () => Values,
  usage: string,
): Values {
  let values: Values
  try {
    values = read()
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
  }
  if (values.help) {
    console.log(usage)
    process.exit(0)
  }
  return values
}

/** The contents of a file that an option names; exits if it cannot be read. */
export function readFileOf(file: string | undefined): Buffer | undefined {
  if (file === undefined) return undefined
  try {
    return readFileSync(file)
  } catch {
    return fail(`${file} cannot be read.`)
  }
}

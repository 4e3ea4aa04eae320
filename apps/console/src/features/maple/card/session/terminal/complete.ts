import { gpOptions } from '@grove/secure-element/script/gp-script'
import { gpshellCommands } from '@grove/secure-element/script/gpshell-script'

/** The candidates that may replace the text from `from` to the end of the line. */
export interface Completion {
  from: number
  candidates: string[]
}

const maxCandidates = 12
const commands = [...Object.keys(gpshellCommands), 'gp', 'manage_channel', 'on']
const levels = ['0', '1', '3', '17', '19', '51']
const logicalChannels = ['1', '2', '3']
const modes = ['clr', 'mac', 'enc', 'rmac', 'renc']

/** Values of an option, by name; AIDs are those of the card. */
const valuesOf = (option: string, aids: readonly string[]): readonly string[] => {
  if (/^-(aid|instaid|sdaid|pkgaid)$/i.test(option)) return aids
  if (/^--(connect|delete|lock-applet|unlock-applet|to|move|personalize)$/.test(option)) return aids
  if (option === '-security') return levels
  if (option === '--mode') return modes
  if (option === '-element') return ['80', '40', '20', '10']
  if (option === 'manage_channel') return ['open', 'close']
  if (option === 'close' || option === 'on') return logicalChannels
  return []
}

/** A command that lists the commands; they are offered in its place. */
export const isHelp = (line: string): boolean => /^\s*(help|\?)\s*$/i.test(line)

/** Completes the end of a line, like a shell. */
export function completionOf(line: string, aids: readonly string[]): Completion {
  if (isHelp(line)) return { from: 0, candidates: commands }
  const [elsewhere = ''] = /^on\s+[0-3]\s+/i.exec(line) ?? []
  if (elsewhere !== '') {
    const { from, candidates } = completionOf(line.slice(elsewhere.length), aids)
    return { from: from + elsewhere.length, candidates }
  }
  const words = line.split(/\s+/)
  const last = words.at(-1) ?? ''
  const from = line.length - last.length
  const before = words.at(-2) ?? ''
  const [verb = ''] = words
  const options = verb === 'gp' || verb.startsWith('-') ? gpOptions : gpshellCommands[verb]
  const values = valuesOf(before, aids)
  const all =
    values.length > 0 ? values : words.length === 1 && !last.startsWith('-') ? commands : options
  const left = (all ?? []).filter((each) => values.length > 0 || !words.slice(1, -1).includes(each))
  const begins = left.filter((each) => each.toLowerCase().startsWith(last.toLowerCase()))
  const isWhole = begins.length === 1 && begins[0] === last
  return {
    from,
    candidates: line === '' || isWhole ? [] : begins.slice(0, maxCandidates),
  }
}

/** The line extended by what all candidates share; with a space after the only one. */
export function completed(line: string, { from, candidates }: Completion): string {
  const [first = '', ...others] = candidates
  if (candidates.length === 0) return line
  if (others.length === 0) return `${line.slice(0, from)}${first} `
  let shared = first
  for (const each of others)
    while (!each.toLowerCase().startsWith(shared.toLowerCase())) shared = shared.slice(0, -1)
  return shared.length > line.length - from ? line.slice(0, from) + shared : line
}

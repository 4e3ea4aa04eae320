// Copies the code that docs/add-a-resource.md shows into it, with the size of what it adds.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
export const guide = join(root, 'docs/add-a-resource.md')

/** What the guide adds: every file that only device groups need. */
const rooms = {
  contract: /^packages\/contract\/src\/maple\/fleet\/group\./,
  server:
    /^apps\/platform\/src\/services\/maple\/(fleet\/group\/|migrations\/\d+_device_groups\.sql$)/,
  console:
    /^apps\/console\/src\/(features\/maple\/fleet\/(group[./-]|device\/bulk\/add-to-group\.)|routes\/_app\/dashboard\/maple\/groups\.tsx$)/,
  tests: /^e2e\/device-groups\.spec\.ts$|\/group-rollout\.test\.ts$/,
}
type Side = keyof typeof rooms
const sides = Object.keys(rooms) as Side[]

const sideOf = (file: string): Side | undefined => {
  const side = sides.find((each) => rooms[each].test(file))
  return side && file.endsWith('.test.ts') ? 'tests' : side
}

/** Files and lines on each side, as a sentence. */
function size(): string {
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n')
  const sums = Object.fromEntries(sides.map((side) => [side, { files: 0, lines: 0 }]))
  for (const file of files) {
    const sum = sums[sideOf(file) ?? '']
    if (!sum) continue
    sum.files += 1
    sum.lines += readFileSync(join(root, file), 'utf8').split('\n').length - 1
  }
  const all = (what: 'files' | 'lines') =>
    Object.values(sums).reduce((sum, each) => sum + each[what], 0)
  const parts = sides.map((side) => `${side} ${sums[side]?.lines}`)
  return `Device groups are ${all('files')} files of their own with ${all('lines')} lines: ${parts.join(', ')}.`
}

const indentOf = (line: string) => /^ */.exec(line)?.[0].length ?? 0

/**
 * The statement, member or element that begins with a text, without its indentation: all lines up to
 * the next that is indented as little and closes nothing.
 */
export function cut(source: string, beginning: string): string | undefined {
  const lines = source.split('\n')
  const from = lines.findIndex((line) => line.trimStart().startsWith(beginning))
  if (from < 0) return undefined
  const indent = indentOf(lines[from] ?? '')
  const isPart = (line: string) =>
    line !== '' &&
    (indentOf(line) > indent || (indentOf(line) === indent && /^ *[)\]}]/.test(line)))
  const length = lines.slice(from + 1).findIndex((line) => line !== '' && !isPart(line))
  const part = lines.slice(from, length < 0 ? undefined : from + 1 + length)
  return part
    .map((line) => line.slice(indent))
    .join('\n')
    .trimEnd()
}

const snippet = /<!-- code: (\S+) (.+?) -->\n```(\w+)\n[\s\S]*?\n```/g
/** The line with the size of what the guide adds. */
export const counted = /<!-- size -->\n.*\n/

/** The guide with the current code. @throws Error for code that does not exist. */
export function withCode(text: string): string {
  return text
    .replaceAll(snippet, (_, file: string, beginning: string, language: string) => {
      const code = cut(readFileSync(join(root, file), 'utf8'), beginning)
      if (code === undefined) throw new Error(`${file} has nothing that begins with ${beginning}`)
      return `<!-- code: ${file} ${beginning} -->\n\`\`\`${language}\n${code}\n\`\`\``
    })
    .replace(counted, `<!-- size -->\n${size()}\n`)
}

if (import.meta.filename === process.argv[1])
  writeFileSync(guide, withCode(readFileSync(guide, 'utf8')))

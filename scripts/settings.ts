// Writes the table of settings into the operator guide; with --check, exits with 1 if it is out of
// date.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { settings, type Setting } from '../apps/platform/src/core/settings/settings-table.ts'

const file = fileURLToPath(new URL('../docs/operator.md', import.meta.url))
const [begin, end] = [
  '<!-- settings: npm run settings, from settings-table.ts -->',
  '<!-- /settings -->',
]

/** A default in prose stays as it is; a value becomes code. */
const defaultText = (value = '–') =>
  value === '–' || value.includes('`') || /^[a-z’ ,]+ [a-z]/.test(value) ? value : `\`${value}\``

const lines = Object.entries<Setting>(settings).map(
  ([name, { default: value, about, isSecret }]) =>
    `| \`${name}\`${isSecret ? ' †' : ''} | ${defaultText(value)} | ${about} |`,
)
export const table = ['| Variable | Default | |', '|---|---|---|', ...lines].join('\n')

/** The guide with the table between its markers. */
export function withTable(guide: string): string {
  const [before, rest] = guide.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined)
    throw new Error('docs/operator.md has no place for the table of settings.')
  return `${before}${begin}\n${table}\n${end}${after}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const guide = readFileSync(file, 'utf8')
  const wanted = withTable(guide)
  if (!process.argv.includes('--check')) writeFileSync(file, wanted)
  else if (wanted !== guide) {
    console.error('The table of settings in docs/operator.md is out of date.')
    process.exit(1)
  }
}

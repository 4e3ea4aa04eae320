// Writes packages/auth-client/API.md from the docstrings of the package's exports, and fails for an
// export or a member without one. `--check` only compares.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { membersOf, readExports, type Exported, type Member } from './client-api/read-exports.ts'
import { root } from './workspace.mjs'

const home = join(root, 'packages/auth-client')
const target = join(home, 'API.md')

const head = `# API reference

Written by \`npm run api\` from the docstrings; [README.md](README.md) shows how to use it. All times are
milliseconds unless a name or a text says otherwise.
`

const { name, exports } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
  name: string
  exports: Record<string, { source: string }>
}
const missing: string[] = []

const oneLine = (code: string) => code.replaceAll(/\s+/g, ' ').replaceAll(/(?<=<) | (?=>)/g, '')

// A heading that differs from an earlier one only in case gets a number.
const anchors = new Map<string, number>()
function anchorOf(name: string): string {
  const anchor = name.toLowerCase()
  const count = anchors.get(anchor) ?? 0
  anchors.set(anchor, count + 1)
  return count === 0 ? anchor : `${anchor}-${count}`
}

const described = new Map<string, string>()
const parts = Object.entries(exports).map(([path, { source }]) => {
  const entry = name + path.slice(1)
  const same = described.get(source)
  if (same !== undefined)
    return `## ${entry}\n\nThe same as \`${same}\`, in one file that loads nothing later.`
  described.set(source, entry)
  const exported = readExports(join(home, source)).toSorted(
    // Functions first, then their inputs and results.
    (a, b) => Number(a.isType) - Number(b.isType) || a.name.localeCompare(b.name),
  )
  const links = exported.map(({ name }) => `[${name}](#${anchorOf(name)})`)
  return [`## ${entry}`, links.join(' · '), ...exported.map((one) => textOf(entry, one))].join(
    '\n\n',
  )
})

function textOf(entry: string, one: Exported): string {
  if (one.doc === '') missing.push(`${entry} ${one.name}`)
  const members = membersOf(one)
  for (const { name, doc } of members) if (doc === '') missing.push(`${entry} ${one.name}.${name}`)
  // Calls with an example have a section each.
  const calls = members.filter(({ example }) => example !== '').map(sectionOf)
  const inTable = members.filter(({ example }) => example === '')
  const rows = inTable.map(({ name, type, doc }) => {
    const cells = [`\`${name}\``, `\`${type}\``, doc]
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  })
  const table = rows.length > 0 && ['| Member | Type | |', '|---|---|---|', ...rows].join('\n')
  const code = members.length === 0 && `\`\`\`ts\n${one.code}\n\`\`\``
  const bases = one.bases.map((base) => `\`${oneLine(base)}\``).join(' and ')
  const inherited = bases && `Has the members of ${bases}, too.`
  const links = members
    .filter(({ example }) => example !== '')
    .map(({ name }) => `[${name}](#${anchorOf(name)})`)
    .join(' · ')
  return [`### ${one.name}`, code, `${one.doc} ${inherited}`.trim(), table, links, ...calls]
    .filter(Boolean)
    .join('\n\n')
}

/** A call with what it rejects with, and an example, which the tests type. */
function sectionOf({ name, type, doc, throws, example }: Member): string {
  const rejections = throws.map((each) => `- ${each}`).join('\n')
  return [
    `#### ${name}`,
    `\`${type}\``,
    doc,
    rejections && `Rejects with:\n\n${rejections}`,
    `\`\`\`ts example\n${example}\n\`\`\``,
  ]
    .filter(Boolean)
    .join('\n\n')
}

if (missing.length > 0) {
  console.error(`Without a docstring:\n  ${missing.join('\n  ')}`)
  process.exit(1)
}
const text = `${head}\n${parts.join('\n\n')}\n`
if (!process.argv.includes('--check')) writeFileSync(target, text)
else if (readFileSync(target, 'utf8') !== text) {
  console.error('packages/auth-client/API.md differs from the docstrings.')
  process.exit(1)
}

import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { decode } from './decode.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const blocks = [...readme.matchAll(/```(\w*)\n([\s\S]*?)```/g)].map(([, , text = '']) => text)

test('the example of the README gives the lines below it', () => {
  const [source = '', printed = ''] = blocks
  const code = source.replace(/^import .*\n/, '')
  const { kind, lines } = runInNewContext(`${code};({ kind, lines })`, { decode }) as {
    kind: string
    lines: string[]
  }
  expect(readme).toContain(`\`kind\` is \`${kind}\``)
  expect(lines.join('\n')).toBe(printed.trim())
})

test('the table of the README has every import of the package', () => {
  const { exports } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  ) as { exports: Record<string, string> }
  const inner = ['./bytes', './part', './tag-names']
  for (const path of Object.keys(exports).filter((each) => !inner.includes(each)))
    expect(readme).toContain(`\`${path.slice(1)}\``)
})

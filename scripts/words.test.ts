import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

interface Word {
  /** What must not be written. */
  pattern: RegExp
  instead: string
  why: string
  /** Names that stay: the API or stored data uses them. */
  except?: RegExp
}

const names: Word[] = [
  {
    pattern: /(?<![\w$])most[A-Z]\w*/g,
    instead: 'max…',
    why: 'Limits are called maximum everywhere else.',
    except: /^most(Errors|Uses|Attempts|Failures|Recent)$/,
  },
  {
    pattern: /(?<![\w$])longest[A-Z]\w*/g,
    instead: 'max…Length, or max… for a time',
    why: 'Limits are called maximum everywhere else.',
    except: /^longest(Data|Ms)$/,
  },
  {
    pattern: /(?<![\w$])demand[A-Z]?\w*(?=\()/g,
    instead: 'assert…',
    why: 'A function that throws when something does not hold asserts it.',
  },
]

const texts: Word[] = [
  {
    pattern: /\b[Aa]sked for (approval|now|at each)|was asked for\b/g,
    instead: 'requested',
    why: 'People request an approval or a key.',
  },
  { pattern: /\binto use again\b/g, instead: 'restored', why: 'The opposite of deprecated.' },
  { pattern: /\bstays undone\b/g, instead: 'won’t run', why: 'Undone is what was taken back.' },
  { pattern: /\bmended\b/g, instead: 'repaired', why: 'Clothes are mended.' },
  {
    pattern: /\bChanges of filters|Imports of devices\b/g,
    instead: 'Bulk changes, Device imports',
    why: 'Names of things put the kind last.',
  },
  { pattern: /\bas they were\b/g, instead: 'unchanged', why: 'A count has a short word.' },
  {
    pattern: /\b[Nn]othing takes back\b/g,
    instead: 'can’t be rolled back',
    why: 'The action is called roll back.',
  },
]

const tracked = execFileSync('git', ['ls-files', 'apps', 'packages', 'e2e', 'bench', 'scripts'], {
  cwd: root,
  encoding: 'utf8',
}).split('\n')

const code = tracked.filter(
  (file) => /\.(ts|tsx|mjs)$/.test(file) && !file.endsWith('words.test.ts'),
)
const english = tracked.filter((file) => /locales\/en-US\/.*\.po$/.test(file))

function found({ pattern, except }: Word, files: readonly string[]): string[] {
  return files.flatMap((file) =>
    [...textOf(file).matchAll(pattern)]
      .map(([word]) => word)
      .filter((word) => !except?.test(word))
      .map((word) => `${file}: ${word}`),
  )
}

const read = new Map<string, string>()
function textOf(file: string): string {
  const text = read.get(file) ?? readFileSync(root + file, 'utf8')
  read.set(file, text)
  return text
}

test.each(names)('names say $instead: $why', (word) => {
  expect(found(word, code)).toEqual([])
})

test.each(texts)('the interface says $instead: $why', (word) => {
  expect(found(word, english)).toEqual([])
})

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

interface Word {
  /** Text that must not be written. */
  pattern: RegExp
  instead: string
  why: string
  /** Exceptions: names that the API or stored data uses. */
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
  { pattern: /\b[Mm]end(s|ed)?\b/g, instead: 'repair', why: 'Clothes are mended.' },
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
  { pattern: /\bIds?\b|\bid$|\bthis id\b/g, instead: 'ID', why: 'An initialism has capitals.' },
  {
    pattern: /\bLeft empty\b/g,
    instead: 'If empty',
    why: 'A hint says what happens in the case, without a riddle.',
  },
  {
    pattern: /\b[Tt]ell an administrator\b/g,
    instead: 'Contact an administrator',
    why: 'People contact support.',
  },
  {
    pattern: /\b[Mm]ake an? (API )?(key|secret|card|snapshot|software card|pairing code)\b/g,
    instead: 'Create',
    why: 'Objects are created.',
  },
  { pattern: /\bas wanted\b/g, instead: 'unchanged', why: 'A count has a short word.' },
]

/** Also in the answers of the service. */
const sentences: Word[] = [
  {
    pattern: /\bby (itself|themselves)\b/g,
    instead: 'automatically',
    why: 'A program that needs nobody runs automatically.',
  },
  {
    pattern: /\bcertain answer\b/g,
    instead: 'definite answer',
    why: 'A certain answer is some answer or other.',
  },
  { pattern: /\btaken back\b/g, instead: 'undone', why: 'The action is called undo or roll back.' },
  {
    pattern: /\b[Nn]obody knows whether\b/g,
    instead: 'it is unknown whether',
    why: 'An unknown outcome is a state, not a person.',
  },
  {
    pattern: /\b[Ss]omebody (cancelled|ended|paused)\b/g,
    instead: 'was cancelled, ended or paused',
    why: 'What happened matters, not that a person exists.',
  },
  {
    pattern: /\bnothing tries (it |them )?again\b/g,
    instead: 'there will be no further attempts',
    why: 'Things do not try.',
  },
  {
    pattern: /\b(server|service|database|HSM|broker|storage) does not answer\b/g,
    instead: 'is not responding',
    why: 'Services respond; people answer.',
  },
]

const comments: Word[] = [
  {
    pattern: /\b[Aa]nswers (how many|null|undefined|true|false|the ids?|whether)\b/g,
    instead: 'returns',
    why: 'A function returns; a service answers.',
  },
  {
    pattern: /\bunless told( otherwise)?\b/g,
    instead: 'default',
    why: 'An option has a default.',
  },
  {
    pattern: /\bwhat (came|became) of\b/gi,
    instead: 'the outcome of',
    why: 'A result has a noun.',
  },
  {
    pattern: /\b([Aa]nother's|[Ss]omebody else's|[Aa] foreign) service\b/g,
    instead: 'a third-party service',
    why: 'There is a word for a service that is not Grove’s own.',
  },
  {
    pattern: /\bthe (newest|latest|oldest) first\b/g,
    instead: 'newest first',
    why: 'A sort order has no article.',
  },
  {
    pattern: /\bscrolled by key\b/g,
    instead: 'so that the keyboard can scroll it',
    why: 'People use a keyboard, not a key.',
  },
  {
    pattern: /\bcan(not)? be had\b/g,
    instead: 'failed to load, unavailable',
    why: 'Files load and services respond.',
  },
  { pattern: /\bmended\b/g, instead: 'repaired, corrected', why: 'Clothes are mended.' },
  {
    pattern: /\bNobody who is known\b/g,
    instead: 'Unauthenticated',
    why: 'The field has a word for it.',
  },
  {
    pattern: /\b(Holds|held) (the \w+ )?for the transaction\b/g,
    instead: 'locks',
    why: 'Rows are locked.',
  },
  {
    pattern: /\b(is|was) cut off\b/g,
    instead: 'interrupted, truncated',
    why: 'Runs are interrupted and files are truncated.',
  },
]

const russian: Word[] = [
  {
    pattern: /(?<![\p{L}-])[Сс]ервис(?!-провайдер)\p{L}*/gu,
    instead: '«служба»',
    why: 'Одно понятие — одно слово; сервис-провайдер остаётся.',
  },
  { pattern: /рабоч\p{L}* сред/giu, instead: '«рабочий контур»', why: 'Stage — это контур.' },
  { pattern: /В сети(?!\p{L})/gu, instead: '«На связи»', why: 'Одно состояние — одно слово.' },
  { pattern: /[Вв]ыгруз(ить|ка) в/gu, instead: '«Экспорт в»', why: 'Одно действие — одно слово.' },
  { pattern: /скриншот/giu, instead: '«снимок экрана»', why: 'Русское слово в ходу.' },
  { pattern: /аккаунт/giu, instead: '«учётная запись»', why: 'Русское слово в ходу.' },
  { pattern: /запечат/giu, instead: '«шифровать»', why: 'Ключи шифруют, запечатывают письма.' },
  {
    pattern: /Тем временем|уборк/giu,
    instead: 'прямо о деле',
    why: 'Так не говорит ни одна программа.',
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
const translated = tracked.filter((file) => /locales\/ru-RU\/.*\.po$/.test(file))
const services = code.filter((file) => file.startsWith('apps/platform/src/'))
const plain = code.filter((file) => !file.includes('/sample/'))

function found(
  { pattern, except }: Word,
  files: readonly string[],
  part: (text: string) => string = (text) => text,
): string[] {
  return files.flatMap((file) =>
    [...part(textOf(file)).matchAll(pattern)]
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

const lines = (text: string, kept: RegExp) =>
  text
    .split('\n')
    .filter((line) => kept.test(line))
    .join('\n')

const commentsOf = (text: string) => lines(text, /^\s*(\/\/|\{?\/?\*)/)

/** Lines that end a quoted sentence. */
const sentencesOf = (text: string) => lines(text, /^(?!\s*(\/\/|\/?\*)).*['"`].* .*\.['"`]/)

const messagesOf = (text: string) => lines(text, /^msgstr /)

test.each(names)('names say $instead: $why', (word) => {
  expect(found(word, code)).toEqual([])
})

test.each(texts)('the interface says $instead: $why', (word) => {
  expect(found(word, english, messagesOf)).toEqual([])
})

test.each(sentences)('the interface and the service say $instead: $why', (word) => {
  expect(found(word, english, messagesOf)).toEqual([])
  expect(found(word, services, sentencesOf)).toEqual([])
})

test.each(comments)('comments say $instead: $why', (word) => {
  expect(found(word, plain, commentsOf)).toEqual([])
})

test.each(russian)('the Russian interface says $instead: $why', (word) => {
  expect(found(word, translated, messagesOf)).toEqual([])
})

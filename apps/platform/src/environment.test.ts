import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from './core/config.ts'
import type { Environment } from './core/environment.ts'
import { chooseServices } from './core/service.ts'
import { StartupError } from './core/startup-error.ts'
import { services } from './services.ts'
import { environmentOf } from './core/settings/load-environment.ts'
import { Problems } from './core/settings/problems.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grove-settings-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** As at startup, before anything is opened. */
function read(env: Environment): Environment {
  const problems = new Problems()
  const whole = environmentOf(env, problems)
  chooseServices(services, whole, readConfig(whole, problems), problems)
  problems.refuse()
  return whole
}

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}

const secret = '43996fc189b265e098419a82362f9022e2ed160a2287064a0fe819ba2ab48f20'

test('a secret can be in a file, whose final line break is ignored', async () => {
  const env = read({
    GROVE_SECRET_FILE: await file('secret', `${secret}\n`),
    MAIL_URL_FILE: await file('mail', 'smtp://grove:pass@mail.example.com:587'),
  })
  expect(env).toMatchObject({
    GROVE_SECRET: secret,
    MAIL_URL: 'smtp://grove:pass@mail.example.com:587',
  })
})

test('a file without a valid secret is refused by name, and no secret is repeated', async () => {
  const path = await file('both', secret)
  const empty = await file('empty', ' \n')
  const predictable = await file('predictable', 'change-me')
  for (const [env, sentence] of [
    [{ GROVE_SECRET: secret, GROVE_SECRET_FILE: path }, 'Set GROVE_SECRET or GROVE_SECRET_FILE'],
    [{ GROVE_SECRET_FILE: join(folder, 'none') }, 'none", which cannot be read (ENOENT).'],
    [{ GROVE_SECRET_FILE: folder }, 'cannot be read (EISDIR)'],
    [{ DATABASE_URL_FILE: empty }, 'which is empty'],
    [{ GROVE_SECRET_FILE: predictable }, 'GROVE_SECRET is too easy to guess'],
  ] as const) {
    expect(() => read(env)).toThrow(sentence)
    expect(() => read(env)).not.toThrow(/43996fc1|change-me/)
  }
})

test.each([
  ['GROVE_CONSOLE_ULR', 'There is no setting GROVE_CONSOLE_ULR. Is it GROVE_CONSOLE_URL?'],
  ['GROVE_PORTS', 'Is it GROVE_PORT?'],
  ['GROVE_SECRETS_FILE', 'There is no setting GROVE_SECRETS_FILE.'],
  // No secret, so no secret file is read.
  ['GROVE_PORT_FILE', 'There is no setting GROVE_PORT_FILE.'],
  ['GROVE_toString', 'There is no setting GROVE_toString.'],
  ['GROVE_SOMETHING_ELSE_ALTOGETHER', 'The operator guide lists all of them.'],
])('%s is not a setting', (name, sentence) => {
  expect(() => read({ [name]: '1' })).toThrow(StartupError)
  expect(() => read({ [name]: '1' })).toThrow(sentence)
})

test('other programs’ variables, including unknown ones, are ignored', () => {
  expect(
    read({ GROVE_KEY: 'k', GROVE_TEST_ENGINE: 'pglite', PORT: '80', Grove_Port: '1' }),
  ).toEqual(expect.objectContaining({ GROVE_KEY: 'k' }))
})

test('one start reports all errors', () => {
  const wrong = {
    GROVE_ENV: 'production',
    GROVE_PORT: 'eighty',
    GROVE_HOSTS: 'a:1',
    GROVE_LGO: 'info',
    DATABASE_URL_FILE: '/nowhere',
    GROVE_IMPORT_MB: '-1',
    GROVE_APP_LINK: 'javascript:{url}',
  }
  const text = messageOf(() => read(wrong))
  expect(text.split('\n')).toEqual([
    'Grove does not start, for 7 reasons:',
    '- There is no setting GROVE_LGO. Is it GROVE_LOG?',
    '- DATABASE_URL_FILE is "/nowhere", which cannot be read (ENOENT).',
    '- GROVE_PORT is "eighty"; it must be a whole number from 0 to 65535.',
    '- GROVE_HOSTS names "a:1"; a name looks like grove.example.com, without a port.',
    expect.stringContaining('- GROVE_ENV=production needs GROVE_SECRET'),
    expect.stringContaining('- GROVE_APP_LINK must be an address'),
    '- GROVE_IMPORT_MB is "-1"; it must be a whole number from 1 to 100000.',
  ])
})

function messageOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof StartupError) return error.message
    throw error
  }
  throw new Error('It was taken.')
}

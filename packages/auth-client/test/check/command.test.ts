import { EventEmitter } from 'node:events'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import type { TerminalInput } from '../../src/cli/password-prompt.ts'
import { at, jwksPath, logoutPath, origin, refreshPath } from './row.ts'
import { runCommand } from './run-command.ts'
import { account, closeReference, startVariation, type Fault } from './variation.ts'

// On a busy machine a check takes seconds.
vi.setConfig({ testTimeout: 30_000 })

afterAll(closeReference)

const env = { GROVE_EMAIL: account.email, GROVE_PASSWORD: account.password }

async function start(fault: Fault = {}) {
  const service = await startVariation(fault)
  onTestFinished(() => service.close())
  return service
}

test.each([
  [[], 'Usage: npx @grove/auth-client check <address> [options]'],
  [['look', 'https://auth.example'], 'There is no command look.'],
  [['check'], 'Name the address of the service.'],
  [['check', 'auth.example'], 'auth.example is not an address that begins with https://.'],
  [['check', 'https://me:secret@auth.example'], 'The address must not carry credentials.'],
  [['check', 'https://auth.example', 'more'], 'There is nothing to do with more.'],
  [['check', 'https://auth.example', '--password'], '--password needs a value.'],
  [['check', 'https://auth.example', '--word', 'x'], 'There is no option --word.'],
  [['check', 'https://auth.example', '--timeout', 'x'], '--timeout is a number of seconds'],
  [['check', 'https://auth.example', '--origin', 'x'], 'x is not an address'],
  [
    ['check', 'https://auth.example', '--email', 'a@b.example'],
    'Set GROVE_PASSWORD to the password',
  ],
])('a wrong command line (%j) is reported, and ends with 2', async (args, words) => {
  const { code, output, said } = await runCommand(args)
  expect(said).toContain(words)
  expect([code, output]).toEqual([2, ''])
})

test.each(['--help', '-h'])(
  '%s names every option and exit code, and ends with 0',
  async (option) => {
    const { code, output, said } = await runCommand(['check', option])
    expect(output).toContain('--origin ORIGIN')
    expect(output).toContain('3 the service cannot be\nreached')
    expect([code, said]).toEqual([0, ''])
  },
)

test('findings are printed as they are made, faults with what to change below', async () => {
  const { url } = await start({
    replies: at(refreshPath, ({ status }) => (status === 401 ? { status: 500 } : undefined)),
  })
  const { code, output, said } = await runCommand(['check', url, '--origin', origin])
  const lines = output.split('\n')
  expect(lines[0]).toBe(
    'fits     GET /api/stage/auth: The clock of the service agrees with the one of this machine',
  )
  expect(lines[1]).toBe(
    'skipped  GET /api/stage/auth: Answered 404: the service has no external login',
  )
  const place = lines.findIndex((line) =>
    line.startsWith('wrong    POST /api/token/refresh: Answered'),
  )
  expect(lines[place + 1]).toMatch(/^ {9}right: Refuse it with 401/)
  expect(lines.at(-1)).toBe(`${url} does not fit: 1 thing is wrong (2 skipped).`)
  expect([code, said]).toEqual([1, ''])
})

test('colours are for terminals, without NO_COLOR', async () => {
  const { url } = await start()
  const command = ['check', url, '--origin', origin]
  const isTerminal = true
  expect((await runCommand(command, { isTerminal })).output).toContain('\u001B[32mfits')
  for (const more of [
    {},
    { isTerminal, env: { NO_COLOR: '1' } },
    { isTerminal, env: { TERM: 'dumb' } },
  ])
    expect((await runCommand(command, more)).output).not.toContain('\u001B')
})

test('--json prints one object', async () => {
  const { url } = await start()
  const { code, output } = await runCommand(
    ['check', url, '--json', `--origin=${origin}`, '--jwks', jwksPath],
    {
      env,
      isTerminal: true,
    },
  )
  const report = JSON.parse(output) as Record<string, unknown>
  expect(report).toEqual({
    url,
    fits: true,
    outcome: 'fits',
    findings: expect.any(Array) as unknown,
  })
  expect(report['findings']).toContainEqual({
    level: 'fits',
    code: 'rotation',
    call: 'POST /api/token/refresh',
    what: 'Rotates the refresh token',
  })
  expect(code).toBe(0)
})

test('a password on the command line is accepted with a warning, and appears nowhere', async () => {
  const { url } = await start()
  const words = ['--email', account.email, '--password', account.password]
  const { code, output, said } = await runCommand(['check', url, '--origin', origin, ...words])
  expect(output).toContain('Signs in: the answer has a token')
  expect(said).toBe(
    'warning  --password: others on this machine see it among the processes. Set GROVE_PASSWORD.\n',
  )
  expect(output + said).not.toContain(account.password)
  expect(code).toBe(0)
})

/** A terminal with someone typing. */
function keyboard() {
  const events = new EventEmitter()
  const modes: boolean[] = []
  const input: TerminalInput = {
    isTTY: true,
    setRawMode: (isRaw) => modes.push(isRaw),
    setEncoding: () => {},
    resume: () => {},
    pause: () => {},
    on: (event, listener) => events.on(event, listener),
    off: (event, listener) => events.off(event, listener),
  }
  const type = async (text: string) => {
    await vi.waitFor(() => expect(events.listenerCount('data')).toBe(1))
    for (const key of text) events.emit('data', key)
  }
  return { input, type, modes, events }
}

test('a terminal asks for the password, does not show it, and handles Backspace', async () => {
  const { url } = await start()
  const { input, type, modes, events } = keyboard()
  const command = ['check', url, '--origin', origin, '--email', account.email]
  const [{ code, output, said }] = await Promise.all([
    runCommand(command, { input }),
    type(`${account.password}xy\u007F\u007F\r`),
  ])
  expect(said).toBe(`Password of ${account.email}: \n`)
  expect(output).toContain('Signs in: the answer has a token')
  expect(modes).toEqual([true, false])
  expect(events.listenerCount('data')).toBe(0)
  expect(code).toBe(0)
})

test('Ctrl-C at the password ends with 130, and checks nothing', async () => {
  const { url, counts } = await start()
  const { input, type } = keyboard()
  const [{ code, output }] = await Promise.all([
    runCommand(['check', url, '--email', account.email], { input }),
    type('Gro\u0003'),
  ])
  expect([code, output, counts.size]).toEqual([130, '', 0])
})

test('Ctrl-C in the middle ends with 130, and the session is signed out', async () => {
  const stop = new AbortController()
  const service = await start({
    replies: at(refreshPath, (_, { before }) => {
      if (before === 0) return undefined
      stop.abort()
      return 'hang'
    }),
  })
  const { code, output } = await runCommand(['check', service.url, '--origin', origin], {
    env,
    signal: stop.signal,
  })
  expect(output.split('\n')).toContain('skipped  The rest: Not checked: the check was stopped')
  expect(output.split('\n').at(-1)).toBe('Stopped.')
  expect(service.counts.get(logoutPath)).toBe(1)
  expect(code).toBe(130)
})

test('text from a service stays on its line', async () => {
  const { url } = await start({
    replies: at('/api/token/password', ({ status }) =>
      status === 200 ? { status: 403, body: { detail: 'No\n\u001B[2Jfits     all' } } : undefined,
    ),
  })
  const { output } = await runCommand(['check', url, '--origin', origin], { env })
  expect(output).not.toContain('\u001B')
  expect(output).toContain('Refused ann@grove.test with 403: "No\\n')
})

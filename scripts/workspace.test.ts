import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, relative } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { isInstalled, root } from './workspace.mjs'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'grove-path-'))
  writeFileSync(join(folder, 'node'), '#!/bin/sh\necho the Node of the PATH\n')
  chmodSync(join(folder, 'node'), 0o755)
})
afterAll(() => rmSync(folder, { recursive: true }))

const run = (script: string) =>
  spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    env: { ...process.env, PATH: [folder, process.env['PATH']].join(delimiter) },
    encoding: 'utf8',
  }).stdout.trim()

const workspace = JSON.stringify(new URL('workspace.mjs', import.meta.url).href)
const sideBySide = JSON.stringify(new URL('side-by-side.mjs', import.meta.url).href)

test('what looks for Node in the PATH runs on the Node that the scripts run on', () => {
  const oneStep = `const { step } = await import(${workspace})
    console.log(step('One', 'sh', ['-c', 'node --version && sh -c "node --version"']).stdout)`
  const [, ...versions] = run(oneStep).split('\n')
  expect(versions).toEqual([process.version, process.version])
  const task = { name: 'One', command: 'sh', args: ['-c', 'node --version'], isShown: true }
  const together = `const { sideBySide } = await import(${sideBySide})
    await sideBySide([${JSON.stringify(task)}])`
  expect(run(together).split('\n').at(-1)).toBe(process.version)
})

test('packages that npm has installed already are not installed again', () => {
  const at = mkdtempSync(join(folder, 'installed-'))
  const write = (name: string, packages: object) =>
    writeFileSync(join(at, name), JSON.stringify({ packages }))
  const one = { version: '1.0.0' }
  const elsewhere = { version: '1.0.0', optional: true }
  expect(isInstalled(at)).toBe(false)
  mkdirSync(join(at, 'node_modules'))
  write('package-lock.json', { '': {}, one, elsewhere, 'packages/own': {} })
  expect(isInstalled(at)).toBe(false)
  for (const [packages, expected] of [
    [{ one, 'packages/own': {} }, true],
    [{ one, elsewhere, 'packages/own': {} }, true],
    [{ one: { version: '1.0.1' }, 'packages/own': {} }, false],
    [{ elsewhere, 'packages/own': {} }, false],
    [{ one, former: one, 'packages/own': {} }, false],
  ] as const) {
    write('node_modules/.package-lock.json', packages)
    expect(isInstalled(at)).toBe(expected)
  }
})

test('a signal to npm stops what its script runs', async () => {
  const program = join(folder, 'program.ts')
  writeFileSync(
    program,
    `process.on('SIGTERM', () => { console.log('stopped'); process.exit(0) })
     setInterval(() => {}, 1000)
     console.log('running')`,
  )
  const script = `node "${join(root, 'scripts/run.mjs')}" "${relative(root, program)}"`
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { start: script } }))
  const npm = spawn('npm', ['start', '--silent'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  npm.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await vi.waitFor(() => expect(output).toContain('running'), 20_000)
  const end = once(npm, 'exit')
  npm.kill('SIGTERM')
  await end
  await vi.waitFor(() => expect(output).toContain('stopped'), 10_000)
}, 40_000)

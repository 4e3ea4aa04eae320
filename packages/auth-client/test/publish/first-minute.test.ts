import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '../browser-fixtures.ts'
import { cleanEnvironment, freshProject, pack, run, temporaryFolder } from './fresh-project.ts'

// The first minute of the README as written: the tarball, its own service, and the component for each
// framework, built by Vite. The repository does not depend on the frameworks, so the template has its
// own lock file, and only `npm run test:all` runs this file.

const LIMIT = 240_000
const service = 'http://127.0.0.1:8080'
const ends: (() => unknown)[] = []
let pages = ''

beforeAll(async () => {
  const { path, remove } = await temporaryFolder()
  ends.push(remove)
  const packed = await temporaryFolder()
  ends.push(packed.remove)
  await freshProject(path, { template: 'first-minute', tarball: await pack(packed.path) })

  const said = await startProgram(path, 'node_modules/@grove/auth-client/reference-server.mjs', '0')
  const authUrl = /^\S+/.exec(said)?.[0] ?? ''
  expect(said).toContain('ann@example.com with the password Example2026!')

  const readme = await readFile(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8')
  for (const extension of ['tsx', 'vue', 'svelte']) {
    const code = new RegExp(`\`\`\`${extension}\n([^]*?)\`\`\``).exec(readme)?.[1] ?? ''
    expect(code).toContain(service)
    await writeFile(join(path, `App.${extension}`), code.replace(service, authUrl))
  }
  const vite = 'node_modules/vite/bin/vite.js'
  const { code, output } = await run(path, process.execPath, [join(path, vite), 'build'])
  if (code !== 0) throw new Error(output)
  pages =
    /http:\S+\d/.exec(await startProgram(path, vite, 'preview', '--host', '127.0.0.1'))?.[0] ?? ''
}, LIMIT)
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
}, LIMIT)

/** Starts a program of the project, and returns its output up to its URL. */
async function startProgram(path: string, program: string, ...args: string[]): Promise<string> {
  const child: ChildProcess = spawn(process.execPath, [join(path, program), ...args], {
    cwd: path,
    env: cleanEnvironment({ NO_COLOR: '1' }),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  ends.push(async () => {
    if (child.exitCode === null && child.kill()) await once(child, 'exit')
  })
  let said = ''
  for await (const chunk of child.stdout ?? []) {
    said += String(chunk)
    if (/http:\S+:\d+/.test(said)) return said
  }
  throw new Error(`${program} ended without an address: ${said}`)
}

describeInBrowser('the first component of the README', (_, chrome) => {
  test.each(['react', 'vue', 'svelte'])('says a refusal, signs in and out: %s', async (name) => {
    const context = await chrome().newContext()
    const page = await context.newPage()
    const problems: string[] = []
    page.on('pageerror', ({ message }) => problems.push(message))
    await page.goto(`${pages}/${name}.html`)
    await page.getByLabel('Email').fill('ann@example.com')
    await page.getByLabel('Password').fill('wrong')
    await page.click('text=Sign in')
    await page.getByText('Wrong email or password').waitFor()
    expect(await page.getByLabel('Email').inputValue()).toBe('ann@example.com')

    await page.getByLabel('Password').fill('Example2026!')
    await page.click('text=Sign in')
    await page.getByText('Sign out').waitFor()
    await page.reload()
    await page.click('text=Sign out')
    await page.getByLabel('Email').waitFor()
    expect(problems).toEqual([])
    await context.close()
  })
})

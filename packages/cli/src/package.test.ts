import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const run = promisify(execFile)
const home = fileURLToPath(new URL('..', import.meta.url))
const temporary = async () => {
  const path = await mkdtemp(join(tmpdir(), 'grove-cli-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}
/** Without the variables of the test run's own npm and Vitest. */
const clean = () => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !/^(npm_(lifecycle|package|command|execpath|config_(local_prefix|workspace))|INIT_CWD|NODE_(ENV|OPTIONS)$|VITE|GROVE)/i.test(
          name,
        ),
    ),
  ),
  NODE_NO_WARNINGS: '1',
})

test('the command runs where npm has installed its tarball', { timeout: 120_000 }, async () => {
  const [work, project] = [await temporary(), await temporary()]
  const copy = join(work, 'packages/cli')
  await cp(home, copy, { recursive: true, filter: (path) => !/[\\/](dist|test)$/.test(path) })
  await symlink(join(home, '../../node_modules'), join(work, 'node_modules'), 'junction')
  await run('npm', ['pack', '--pack-destination', work], { cwd: copy, env: clean() })
  const tarball = (await readdir(work)).find((name) => name.endsWith('.tgz')) ?? ''
  await writeFile(join(project, 'package.json'), '{ "name": "fresh", "version": "1.0.0" }')
  const install = ['install', join(work, tarball), '--prefer-offline', '--no-audit', '--no-fund']
  await run('npm', install, { cwd: project, env: clean() })
  const installed = join(project, 'node_modules/@grove/cli')
  expect((await readdir(installed)).toSorted()).toEqual([
    'LICENSE',
    'README.md',
    'dist',
    'package.json',
  ])
  expect((await readdir(join(installed, 'dist'))).filter((name) => /test/.test(name))).toEqual([])

  const { stdout } = await run('npx', ['--no-install', 'grove', '--help'], {
    cwd: project,
    env: clean(),
  })
  expect(stdout).toContain('Usage: grove publish')
  const wrong = run('npx', ['--no-install', 'grove', 'publish', 'dist'], {
    cwd: project,
    env: clean(),
  })
  await expect(wrong).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--app is the id of the app'),
  })
})

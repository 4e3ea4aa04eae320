import { execFile, spawn } from 'node:child_process'
import { cp, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from './workspace.mjs'

const execute = promisify(execFile)

/** Without the variables of the test run's own npm, Node, Vitest and Grove. */
const clean = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !/^(npm_(lifecycle|package|command|execpath|config_(local_prefix|workspace))|INIT_CWD|NODE_|VITE|GROVE)/i.test(
          name,
        ),
    ),
  ),
  NODE_NO_WARNINGS: '1',
  ...more,
})

/**
 * Packs an unbuilt copy of the package `packages/<name>`, like `npm publish`, and installs the
 * tarball in an empty folder outside the repository, as npx does before it runs a command.
 */
export async function installPacked(name: string) {
  const [work, project] = await Promise.all(
    ['grove-pack-', 'grove-fresh-'].map((prefix) => mkdtemp(join(tmpdir(), prefix))),
  )
  const [home, copy] = [join(root, 'packages', name), join(work ?? '', 'packages', name)]
  const folder = project ?? ''
  await cp(home, copy, { recursive: true, filter: (path) => !/[\\/](dist|test)$/.test(path) })
  await symlink(join(root, 'node_modules'), join(work ?? '', 'node_modules'), 'junction')
  await execute('npm', ['pack', '--pack-destination', folder], { cwd: copy, env: clean() })
  const tarball = (await readdir(folder)).find((file) => file.endsWith('.tgz')) ?? ''
  await writeFile(join(folder, 'package.json'), '{ "name": "fresh", "version": "1.0.0" }')
  const install = ['install', `./${tarball}`, '--prefer-offline', '--no-audit', '--no-fund']
  await execute('npm', install, { cwd: folder, env: clean() })
  const bin = (command: string) => join(folder, 'node_modules/.bin', command)
  return {
    folder,
    /** The files of the package, as paths with slashes. */
    async files(): Promise<string[]> {
      const installed = join(folder, 'node_modules/@grove', name)
      const entries = await readdir(installed, { recursive: true, withFileTypes: true })
      return entries
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name: file }) => join(parentPath, file).slice(installed.length + 1))
        .map((path) => path.replaceAll('\\', '/'))
        .toSorted()
    },
    /** Runs one of its commands to the end. @throws with `code`, `stdout` and `stderr` if it fails */
    run: (command: string, args: string[], env?: NodeJS.ProcessEnv) =>
      execute(bin(command), args, { cwd: folder, env: clean(env) }),
    /** Starts one of its commands. */
    start: (command: string, args: string[], env?: NodeJS.ProcessEnv) =>
      spawn(bin(command), args, {
        cwd: folder,
        env: clean(env),
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    remove: () =>
      Promise.all([work, project].map((path) => rm(path ?? '', { recursive: true, force: true }))),
  }
}

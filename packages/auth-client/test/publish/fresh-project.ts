import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const start = promisify(execFile)
const home = fileURLToPath(new URL('../..', import.meta.url))
const repository = join(home, '../..')

export interface Outcome {
  code: number
  output: string
}

/** Runs a program to completion in a clean environment; on failure its output is in the error. */
export async function run(
  folder: string,
  command: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<Outcome> {
  const env = cleanEnvironment(environment)
  const shell = process.platform === 'win32'
  try {
    const { stdout, stderr } = await start(command, args, { cwd: folder, env, shell })
    return { code: 0, output: stdout + stderr }
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as Record<string, string>
    return { code: Number(code) || 1, output: `${command} ${args.join(' ')}\n${stdout}${stderr}` }
  }
}

/**
 * Without the variables of the test run's own npm and Vitest. Settings such as the registry and the
 * cache stay.
 */
export function cleanEnvironment(environment: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const ours =
    /^(npm_(lifecycle|package|command|execpath|config_(local_prefix|workspace))|INIT_CWD|NODE_(ENV|OPTIONS)$|VITE)/i
  const kept = Object.entries(process.env).filter(([name]) => !ours.test(name))
  // Node's own warnings differ from release to release.
  return { ...Object.fromEntries(kept), NODE_NO_WARNINGS: '1', ...environment }
}

export async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'auth-client-'))
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) }
}

/**
 * Packs an unbuilt copy of the package, as `npm publish` does: the working tree stays unchanged, and
 * the tarball contains only its own build. Returns the tarball's path.
 */
export async function pack(folder: string): Promise<string> {
  const copy = join(folder, 'packages/auth-client')
  await cp(home, copy, { recursive: true, filter: (path) => !/[\\/](dist|test)$/.test(path) })
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'), 'junction')
  const { code, output } = await run(copy, 'npm', ['pack', '--pack-destination', folder])
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'))
  if (code !== 0 || tarball === undefined) throw new Error(output)
  return join(folder, tarball)
}

/**
 * Creates a project from a template and lets npm install the tarball in it. Without a `package.json`
 * of its own, it gets these packages at the repository's versions.
 */
export async function freshProject(
  folder: string,
  options: { template: string; tarball: string; packages?: readonly string[] },
): Promise<void> {
  await cp(fileURLToPath(new URL(options.template, import.meta.url)), folder, { recursive: true })
  if (options.packages) await writeManifest(folder, options.packages)
  const install = ['install', options.tarball, '--prefer-offline', '--no-audit', '--no-fund']
  const { code, output } = await run(folder, 'npm', install)
  if (code !== 0) throw new Error(output)
}

async function writeManifest(folder: string, names: readonly string[]): Promise<void> {
  const lock = await readLock()
  const dependencies = Object.fromEntries(
    names.map((name) => [name, lock[`node_modules/${name}`]?.version ?? '']),
  )
  const manifest = { name: 'fresh', version: '1.0.0', private: true, type: 'module', dependencies }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  // The repository's own versions, so that npm finds them in its cache; npm leaves out what the
  // project does not need.
  const packages = { '': manifest, ...lock }
  const text = JSON.stringify({ name: 'fresh', version: '1.0.0', lockfileVersion: 3, packages })
  await writeFile(join(folder, 'package-lock.json'), text)
}

/** The external packages of the repository's lock file. */
async function readLock(): Promise<Record<string, { version: string; link?: boolean }>> {
  const text = await readFile(join(repository, 'package-lock.json'), 'utf8')
  const { packages } = JSON.parse(text) as {
    packages: Record<string, { version: string; link?: boolean }>
  }
  const entries = Object.entries(packages)
  return Object.fromEntries(
    entries.filter(([path, { link }]) => path.startsWith('node_modules/') && link !== true),
  )
}

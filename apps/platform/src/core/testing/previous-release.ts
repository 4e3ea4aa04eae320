import { execFile, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../../../../../scripts/workspace.mjs'

const run = promisify(execFile)

const [, version = '', commit = ''] =
  /^(\d+\.\d+\.\d+) ([\da-f]{40})$/m.exec(
    readFileSync(join(root, 'deploy/previous-release'), 'utf8'),
  ) ?? []

/** The release named in `deploy/previous-release`. */
export const previousRelease = {
  version,
  commit,
  /** The clone may be shallow. */
  isHere:
    spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root, stdio: 'ignore' })
      .status === 0,
}

/** Builds its server once and returns Node's arguments to run it. */
export async function previousServer(): Promise<string[]> {
  const releases = join(root, 'node_modules/.cache/grove/releases')
  const folder = join(releases, commit)
  if (!existsSync(folder)) {
    await mkdir(releases, { recursive: true })
    const half = await mkdtemp(join(releases, 'half-'))
    const archive = join(half, 'sources.tar')
    await run('git', ['archive', `--output=${archive}`, commit], { cwd: root })
    await run('tar', ['-xf', archive], { cwd: half })
    // npm looks for workspaces in the parent folder, so it gets a name of its own.
    const npm = ['ci', '--omit=dev', '--no-audit', '--no-fund', '--loglevel=error']
    await run('npm', npm, { cwd: half, shell: process.platform === 'win32' })
    await run(process.execPath, ['scripts/build-server.mjs'], { cwd: half })
    await writeFile(archive, '')
    await rename(half, folder)
  }
  return ['--enable-source-maps', join(folder, 'apps/platform/dist/main.js')]
}

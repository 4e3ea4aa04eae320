import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { root } from '../scripts/workspace.mjs'

// The image as a container host builds it, on Debian with the Node of this machine: no registry of
// images has to be reachable. A chroot with a read-only root stands in for the container.

interface ImageConfig {
  User: string
  Env: string[]
  Cmd: string[]
  WorkingDir: string
  Healthcheck: { Test: string[] }
}

const has = (command: string) => spawnSync('which', [command]).status === 0
const canBuild = process.getuid?.() === 0 && ['buildah', 'mmdebstrap', 'unshare'].every(has)
const needs = '(needs buildah, mmdebstrap)'
const certificates = '/etc/ssl/certs/ca-certificates.crt'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'grove-image-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }), 120_000)

function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  if (status !== 0) throw new Error(`${command} failed:\n${(stdout + stderr).slice(-4000)}`)
  return stdout.trim()
}

const buildah = (...args: string[]) =>
  run(
    'buildah',
    `--root=${join(folder, 'storage')}`,
    `--runroot=${join(folder, 'run')}`,
    '--storage-driver=vfs',
    ...args,
  )

/** Debian of this machine's release, with its Node and npm. */
function makeBase(): void {
  const release = /^VERSION_CODENAME=(.*)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1]
  const tar = join(folder, 'debian.tar')
  const excluded = ['doc', 'man', 'locale'].map(
    (name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`,
  )
  run('mmdebstrap', '--quiet', '--variant=minbase', ...excluded, release ?? 'stable', tar)
  const files = join(folder, 'node')
  const npm = dirname(dirname(realpathSync(run('which', 'npm'))))
  cpSync(process.execPath, join(files, 'usr/bin/node'))
  cpSync(npm, join(files, 'usr/lib/node_modules/npm'), { recursive: true })
  if (existsSync(certificates)) cpSync(certificates, join(files, certificates))
  const container = buildah('from', 'scratch')
  buildah('add', container, tar, '/')
  buildah('add', container, files, '/')
  buildah('config', '--env', `npm_config_cafile=${certificates}`, container)
  run(
    'ln',
    '-s',
    '../lib/node_modules/npm/bin/npm-cli.js',
    join(buildah('mount', container), 'usr/bin/npm'),
  )
  buildah('commit', '--rm', container, 'grove-base')
}

const megabytesOf = (path: string) =>
  Number.parseInt(run('du', '--summarize', '--apparent-size', '--block-size=MB', path), 10)

/** Runs a command as the image's user in its folder; of the root, only /tmp and /data take writes. */
function startIn(image: string, config: ImageConfig, env: string[], command: string[]) {
  const script = `image=$1; user=$2; shift 2
    mount --bind "$image" "$image"
    mount -t proc proc "$image/proc"
    mount --rbind /dev "$image/dev"
    mount -t tmpfs -o mode=1777 tmpfs "$image/tmp"
    mount -t tmpfs -o "mode=0700,uid=\${user%:*},gid=\${user#*:}" tmpfs "$image/data"
    mount -o remount,ro,bind "$image"
    exec chroot --userspec="$user" "$image" env --ignore-environment "$@"`
  const inside = ['--chdir', config.WorkingDir, ...config.Env, ...env, ...command]
  return spawn('unshare', ['--mount', 'sh', '-euc', script, 'sh', image, config.User, ...inside], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

test.skipIf(!canBuild)(
  `the image is small, and serves as its own user from a read-only root ${needs}`,
  async () => {
    makeBase()
    buildah(
      'build',
      '--isolation=chroot',
      '--format=docker',
      '--layers=false',
      '--file=deploy/Dockerfile',
      '--build-arg=BASE=localhost/grove-base',
      '--tag=grove',
      '.',
    )
    const described = JSON.parse(buildah('inspect', '--type', 'image', 'localhost/grove')) as {
      Docker: { config: ImageConfig }
    }
    const { config } = described.Docker
    const image = buildah('mount', buildah('from', 'localhost/grove'))
    expect(config.User).not.toMatch(/^(root|0)?(:|$)/)
    expect(config.Cmd[0]).toBe('node')
    expect(megabytesOf(image)).toBeLessThanOrEqual(350)
    expect(run('find', join(image, 'grove'), '-name', '*.ts')).toBe('')

    const port = await freePort()
    const env = [
      `GROVE_PORT=${port}`,
      'GROVE_HOST=127.0.0.1',
      'GROVE_CONSOLE_URL=https://grove.example.com',
      'GROVE_HOSTS=127.0.0.1',
      'GROVE_DRAIN_SECONDS=0',
      `GROVE_SECRET=${randomBytes(32).toString('hex')}`,
      'GROVE_FIRST_ADMIN=ada@example.com',
      'GROVE_FIRST_ADMIN_PASSWORD=Meadow!2847',
    ]
    const server = startIn(image, config, env, config.Cmd)
    const ended = once(server, 'exit')
    let output = ''
    const read = (chunk: Buffer) => (output += chunk.toString())
    server.stdout.on('data', read)
    server.stderr.on('data', read)
    try {
      await vi.waitFor(() => expect(output).toContain('is ready'), { timeout: 60_000 })
      expect(run('ps', '-o', 'uid=', '-p', `${server.pid}`)).toBe(config.User.split(':')[0])
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200)
      const [, ...healthCheck] = config.Healthcheck.Test
      const health = startIn(image, config, env, healthCheck)
      expect(await once(health, 'exit')).toEqual([0, null])
      const write = startIn(image, config, env, ['touch', '/grove/apps/platform/dist/main.js'])
      expect((await once(write, 'exit'))[0]).toBe(1)
      const signIn = await fetch(`http://127.0.0.1:${port}/api/token/password`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({
          email: 'ada@example.com',
          password: 'Meadow!2847',
          provider: 'grove',
        }),
      })
      expect(await signIn.text()).toContain('"accessToken":"ey')
    } finally {
      server.kill('SIGTERM')
    }
    expect(await ended).toEqual([0, null])
  },
  900_000,
)

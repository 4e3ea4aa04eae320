import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../apps/platform/src/core/config.ts'
import { environmentOf } from '../apps/platform/src/core/settings/load-environment.ts'
import { Problems } from '../apps/platform/src/core/settings/problems.ts'
import { settings, type Setting } from '../apps/platform/src/core/settings/settings-table.ts'
import {
  readVaultKeySource,
  requireNamedVaultKey,
} from '../apps/platform/src/core/vault/vault-keys.ts'

interface Compose {
  services: Record<string, ComposeService>
  volumes: Record<string, null>
  secrets: Record<string, { file: string }>
}

interface ComposeService {
  image: string
  depends_on?: Record<string, unknown>
  environment?: Record<string, string>
  healthcheck?: { test: string[] }
  secrets?: string[]
  volumes?: string[]
}

const deploy = fileURLToPath(new URL('.', import.meta.url))
const text = (path: string) => readFileSync(join(deploy, path), 'utf8')
const compose = parse(text('compose.yaml')) as Compose
const services = Object.entries(compose.services)

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'grove-deploy-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

test('every setting that is named here is one', () => {
  const known = Object.entries<Setting>(settings).flatMap(([name, { isSecret }]) =>
    isSecret ? [name, `${name}_FILE`] : [name],
  )
  const files = readdirSync(deploy, { recursive: true, encoding: 'utf8' }).filter(
    (name) =>
      !name.endsWith('.ts') && !name.startsWith('secrets') && statSync(join(deploy, name)).isFile(),
  )
  const named = files.flatMap((name) =>
    [...text(name).matchAll(/\bGROVE_[A-Z][A-Z\d_]*/g)].map(([setting]) => `${name}: ${setting}`),
  )
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((each) => !known.includes(each.split(': ')[1] ?? ''))).toEqual([])
})

test('compose starts a database, a store of objects, Grove and a proxy in order', () => {
  expect(Object.keys(compose.services)).toEqual(
    expect.arrayContaining(['grove', 'proxy', 'database', 'objects', 'mosquitto']),
  )
  for (const [name, { depends_on = {}, secrets = [], volumes = [], image }] of services) {
    expect(image, name).toMatch(/^grove$|:./)
    expect(Object.keys(compose.services)).toEqual(expect.arrayContaining(Object.keys(depends_on)))
    expect(Object.keys(compose.secrets)).toEqual(expect.arrayContaining(secrets))
    for (const [source = ''] of volumes.map((volume) => volume.split(':')))
      expect(
        source.startsWith('.') ? existsSync(join(deploy, source)) : source in compose.volumes,
      ).toBe(true)
  }
  // That of Grove is in its image.
  expect(text('Dockerfile')).toContain('HEALTHCHECK')
  for (const name of ['database', 'objects', 'mosquitto'])
    expect(compose.services[name]?.healthcheck, name).toBeDefined()
})

test('Grove takes the secrets that the script makes, and these stay', () => {
  cpSync(join(deploy, 'make-secrets.sh'), join(folder, 'make-secrets.sh'))
  const make = () => {
    const { status } = spawnSync('sh', [join(folder, 'make-secrets.sh')])
    expect(status).toBe(0)
    return Object.values(compose.secrets).map(({ file }) =>
      readFileSync(join(folder, file), 'utf8'),
    )
  }
  const made = make()
  expect(make()).toEqual(made)
  const given = { GROVE_CONSOLE_URL: 'https://grove.example.com' }
  const environment = Object.entries(compose.services['grove']?.environment ?? {}).map(
    ([name, value]) => [
      name,
      value
        .replace('/run/secrets', join(folder, 'secrets'))
        .replaceAll(
          /\$\{(\w+)[^}]*\}/g,
          (_, each: string) => given[each as keyof typeof given] ?? '',
        ),
    ],
  )
  const problems = new Problems()
  const env = environmentOf(Object.fromEntries(environment) as Record<string, string>, problems)
  const config = readConfig(env, problems)
  problems.at(() => requireNamedVaultKey(readVaultKeySource(env, config.dataFolder), config))
  problems.refuse()
  expect(config).toMatchObject({
    isProduction: true,
    trustsProxy: true,
    objects: { host: 'objects:9000' },
  })
  expect(config.databaseUrl).toContain('@database/grove')
})

const has = (command: string) => spawnSync(command, ['-v']).error === undefined

/** A configuration with a certificate of the test's own. */
function withCertificates(name: string): string {
  const certificates = resolve(folder, 'tls')
  const [certificate, key] = ['crt', 'key'].map((end) => join(folder, `own.${end}`))
  if (!existsSync(certificates)) {
    spawnSync('openssl', [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-subj',
      '/CN=grove.example.com',
      '-out',
      certificate ?? '',
      '-keyout',
      key ?? '',
    ])
    for (const site of ['grove.example.com', 'grove-preview.example']) {
      cpSync(certificate ?? '', join(certificates, `${site}.crt`), { recursive: true })
      cpSync(key ?? '', join(certificates, `${site}.key`))
      writeFileSync(
        join(certificates, `${site}.pem`),
        [certificate, key].map((file) => readFileSync(file ?? '', 'utf8')).join(''),
      )
    }
  }
  const file = join(folder, basename(name))
  writeFileSync(file, text(name).replaceAll('/etc/grove/tls', certificates))
  return file
}

test.skipIf(!has('haproxy'))('HAProxy takes its example (needs haproxy)', () => {
  const { status, stderr } = spawnSync(
    'haproxy',
    ['-c', '-f', withCertificates('proxy/haproxy.cfg')],
    { encoding: 'utf8' },
  )
  expect(status, stderr).toBe(0)
  expect(stderr).not.toContain('WARNING')
})

const nginxStream = '/usr/lib/nginx/modules/ngx_stream_module.so'
test.skipIf(!has('nginx') || !existsSync(nginxStream))(
  'nginx takes its example (needs nginx-light, libnginx-mod-stream)',
  () => {
    const { status, stderr } = spawnSync(
      'nginx',
      ['-t', '-c', withCertificates('proxy/nginx.conf')],
      { encoding: 'utf8' },
    )
    expect(status, stderr).toBe(0)
  },
)

test.skipIf(!has('caddy'))('Caddy takes its example (needs caddy)', () => {
  const { status, stderr } = spawnSync(
    'caddy',
    ['validate', '--adapter', 'caddyfile', '--config', join(deploy, 'proxy/Caddyfile')],
    { encoding: 'utf8', env: { ...process.env, HOME: folder } },
  )
  expect(status, stderr).toBe(0)
})

test.skipIf(!has('systemd-analyze'))('systemd takes its unit (needs systemd)', () => {
  const unit = join(folder, 'grove@3000.service')
  writeFileSync(unit, text('systemd/grove@.service').replace('/usr/bin/node', process.execPath))
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], {
    encoding: 'utf8',
  })
  expect(status, stderr).toBe(0)
  expect(stdout + stderr).toBe('')
})

import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'

interface Compose {
  services: Record<
    string,
    { command?: string[]; environment?: Record<string, string>; secrets: string[] }
  >
  secrets: Record<string, { file: string }>
}

interface StatefulSet {
  spec: {
    replicas: number
    serviceName: string
    template: {
      spec: {
        containers: [{ args: [string]; ports: { name: string; containerPort: number }[] }]
      }
    }
  }
}

const deploy = fileURLToPath(new URL('.', import.meta.url))
const text = (path: string) => readFileSync(join(deploy, path), 'utf8')

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'grove-nats-'))
  cpSync(join(deploy, 'make-secrets.sh'), join(folder, 'make-secrets.sh'))
  spawnSync('sh', [join(folder, 'make-secrets.sh')])
})
afterAll(() => rmSync(folder, { recursive: true }))

const secret = (name: string) => readFileSync(join(folder, 'secrets', name), 'utf8').trim()
const part = parse(text('compose.nats.yaml')) as Compose
const whole = parse(text('compose.yaml')) as Compose

test('the part with NATS adds it to Grove, with the secrets that the script makes', () => {
  for (const { file } of Object.values(part.secrets)) secret(file.replace('./secrets/', ''))
  expect(Object.keys(whole.services)).toContain('grove')
  expect(Object.keys(whole.services)).not.toContain('nats')
  const { environment = {}, secrets } = part.services['grove'] ?? { secrets: [] }
  const [name] = secrets
  expect(environment).toEqual({ NATS_URL_FILE: `/run/secrets/${name}` })
  const url = new URL(secret(name ?? ''))
  expect(url.username).toBe('grove')
  expect(url.password).toBe(secret('nats-password'))
  expect(Object.keys(part.services)).toContain(url.hostname)
})

const component = parse(text('kubernetes/nats/kustomization.yaml')) as {
  resources: string[]
  configMapGenerator: { name: string; literals?: string[] }[]
}
const [set] = component.resources
  .flatMap((name) => parseAllDocuments(text(`kubernetes/nats/${name}`)))
  .map((document) => document.toJS() as StatefulSet & { kind: string })
  .filter(({ kind }) => kind === 'StatefulSet')
const configuration = text('kubernetes/nats/nats.conf')

test('each server of the cluster knows all of them, and a message is in all', () => {
  if (!set) throw new Error('no StatefulSet')
  const { replicas, serviceName, template } = set.spec
  const routes = [...configuration.matchAll(/nats:\/\/([^:]+):(\d+)/g)].map(([, host]) => host)
  expect(routes).toEqual(
    Array.from({ length: replicas }, (_, index) => `nats-${index}.${serviceName}`),
  )
  const settings = component.configMapGenerator.find(({ name }) => name === 'grove')?.literals
  expect(settings).toContain(`GROVE_NATS_REPLICAS=${replicas}`)
  for (const { containerPort } of template.spec.containers[0].ports)
    expect(configuration).toContain(`:${containerPort}`)
})

test('the guide adds the part to the folder of settings', ({ skip }) => {
  const guide = text('../docs/operations/kubernetes.md')
  const own = /```yaml\n(# grove\/kustomization[^`]+)```/.exec(guide)?.[1] ?? ''
  const line = /^components: .*$/m.exec(guide)?.[0]
  expect(line).toBeDefined()
  const base = relative(realpathSync(folder), join(deploy, 'kubernetes'))
  writeFileSync(
    join(folder, 'kustomization.yaml'),
    `${own}${line}`.replaceAll('../deploy/kubernetes', base),
  )
  const made = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' })
  if (made.error) skip('kubectl is not installed')
  expect(made.stderr).toBe('')
  // What the folder says and what the part says.
  expect(made.stdout).toContain('GROVE_CONSOLE_URL: https://console.example.com')
  expect(made.stdout).toContain('NATS_URL_FILE: /run/secrets/grove/nats-url')
  expect(made.stdout.match(/^kind: StatefulSet$/gm)).toHaveLength(1)
})

/** The variable that a container gives NATS, as its own shell makes it. */
function passwordOf(command: string, password: string): string {
  writeFileSync(join(folder, 'nats-password'), `${password}\n`)
  const [assignment = ''] = command.replaceAll('$$', '$').split(' && ')
  const script = assignment.replace(/\/run\/secrets\/[^)]+/, join(folder, 'nats-password'))
  const { stdout } = spawnSync('sh', ['-euc', `${script}; printf %s "$NATS_PASSWORD"`], {
    encoding: 'utf8',
  })
  return stdout
}

// Passwords of hexadecimal digits, as the guides make them, may look like numbers.
test.skipIf(spawnSync('nats-server', ['-v']).error).each(['12345678', '9e3a77', '0badc0de'])(
  'NATS takes its configurations with the password %s (needs nats-server)',
  (password) => {
    const commands = [
      part.services['nats']?.command?.[0] ?? '',
      set?.spec.template.spec.containers[0].args[0] ?? '',
    ]
    const files = ['nats/nats.conf', 'kubernetes/nats/nats.conf']
    for (const [index, name] of files.entries()) {
      const file = join(folder, 'nats.conf')
      // Debian's NATS is older than this setting.
      writeFileSync(file, text(name).replace(/^ *sync_interval: always\n/m, ''))
      const { status, stderr } = spawnSync('nats-server', ['-t', '-c', file], {
        encoding: 'utf8',
        env: {
          ...process.env,
          POD_NAME: 'nats-0',
          NATS_PASSWORD: passwordOf(commands[index] ?? '', password),
        },
      })
      expect(status, stderr).toBe(0)
    }
  },
)

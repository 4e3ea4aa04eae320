import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig } from '../apps/platform/src/core/config.ts'
import { environmentOf } from '../apps/platform/src/core/settings/load-environment.ts'
import { Problems } from '../apps/platform/src/core/settings/problems.ts'
import {
  readVaultKeySource,
  requireNamedVaultKey,
} from '../apps/platform/src/core/vault/vault-keys.ts'

interface Port {
  name: string
  containerPort?: number
  targetPort?: string
}
interface Container {
  env: { name: string; value: string }[]
  ports: Port[]
  volumeMounts: { name: string; mountPath: string }[]
  securityContext: object
}
interface Item {
  kind: string
  metadata: { name: string }
  spec: {
    selector: Record<string, string> & { matchLabels: object }
    template: {
      metadata: { labels: object }
      spec: {
        terminationGracePeriodSeconds: number
        securityContext: object
        containers: [Container]
        volumes: { name: string }[]
      }
    }
    ports: Port[]
    scaleTargetRef: { name: string }
    rules: { http: { paths: { path: string; backend: { service: Backend } }[] } }[]
  }
}
interface Backend {
  name: string
  port: { name: string }
}

const deploy = fileURLToPath(new URL('.', import.meta.url))
const text = (path: string) => readFileSync(join(deploy, path), 'utf8')
const { resources } = parse(text('kubernetes/kustomization.yaml')) as { resources: string[] }
const items = resources.flatMap((name) =>
  parseAllDocuments(text(`kubernetes/${name}`)).map((document) => document.toJS() as Item),
)
const of = (kind: string) => items.filter((item) => item.kind === kind)
const named = (kind: string, name: string) =>
  of(kind).find(({ metadata }) => metadata.name === name)
const containerOf = ({ spec }: Item) => spec.template.spec.containers[0]

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'grove-kubernetes-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

test.each(['web', 'gateway', 'runner'])('%s runs as the image wants it', (role) => {
  const deployment = named('Deployment', role)
  if (!deployment) throw new Error(`no Deployment ${role}`)
  const { selector, template } = deployment.spec
  expect(template.metadata.labels).toEqual(selector.matchLabels)
  expect(selector.matchLabels).toEqual({ app: 'grove', role })
  const user = Number(/^USER (\d+)/m.exec(text('Dockerfile'))?.[1])
  expect(template.spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: user })
  const container = containerOf(deployment)
  expect(container.securityContext).toMatchObject({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
  })
  expect(container.volumeMounts.map(({ name }) => name).toSorted()).toEqual(
    template.spec.volumes.map(({ name }) => name).toSorted(),
  )
  expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(25)
  expect(named('PodDisruptionBudget', role)?.spec.selector.matchLabels).toEqual(
    selector.matchLabels,
  )
})

test.each(['web', 'gateway', 'runner'])('%s takes its settings', (role) => {
  const deployment = named('Deployment', role)
  if (!deployment) throw new Error(`no Deployment ${role}`)
  const { env, volumeMounts } = containerOf(deployment)
  const shared = text('kubernetes/settings.env')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const)
  const contents: Record<string, string> = {
    'grove-secret': randomBytes(32).toString('hex'),
    'vault-keys': `1:${randomBytes(32).toString('hex')}`,
    'database-url': 'postgresql://grove:secret@db.internal/grove',
    'objects-url': 's3://key:secret@objects.internal/grove',
  }
  const given = [...shared, ...env.map(({ name, value }) => [name, value] as const)]
  const environment = given.map(([name, value]) => {
    if (!name.endsWith('_FILE')) return [name, value]
    const mount = volumeMounts.find(({ mountPath }) => value.startsWith(`${mountPath}/`))
    const file = value.split('/').at(-1) ?? ''
    expect(mount, `${name} is in no volume of ${role}`).toBeDefined()
    const here = join(folder, file)
    writeFileSync(here, contents[file] ?? '', { mode: 0o600 })
    return [name, here]
  })
  const problems = new Problems()
  const settings = { GROVE_ENV: 'production', ...Object.fromEntries(environment) }
  const all = environmentOf(settings as Record<string, string>, problems)
  const config = readConfig(all, problems)
  const isKeyless = role === 'gateway'
  expect('GROVE_VAULT_KEY' in all || 'GROVE_VAULT_KEY_FILE' in all).toBe(!isKeyless)
  if (!isKeyless)
    problems.at(() => requireNamedVaultKey(readVaultKeySource(all, config.dataFolder), config))
  problems.refuse()
  expect(config).toMatchObject({ isProduction: true, trustsProxy: true, roles: [role] })
})

test('what comes in reaches a port of a process', () => {
  for (const { metadata, spec } of of('Service')) {
    const deployment = named('Deployment', metadata.name)
    expect(deployment?.spec.selector.matchLabels).toEqual(spec.selector)
    const ports = deployment && containerOf(deployment).ports.map(({ name }) => name)
    for (const { targetPort } of spec.ports) expect(ports).toContain(targetPort)
  }
  for (const { metadata, spec } of of('HorizontalPodAutoscaler')) {
    expect(spec.scaleTargetRef.name).toBe(metadata.name)
    expect(named('Deployment', metadata.name)).toBeDefined()
  }
  const paths = of('Ingress').flatMap(({ spec }) => spec.rules.flatMap(({ http }) => http.paths))
  for (const { backend } of paths) {
    const service = named('Service', backend.service.name)
    expect(service?.spec.ports.map(({ name }) => name)).toContain(backend.service.port.name)
  }
  // As the guide says: these go to gateways.
  const guide = text('../docs/operations/scale.md')
  const toGateways = [...guide.matchAll(/^- `(\/api\/[^`]+)`/gm)].map(([, path]) => path)
  expect(
    paths.filter(({ backend }) => backend.service.name === 'gateway').map(({ path }) => path),
  ).toEqual(toGateways)
})

test('the folder of the guide changes the name, the image and the settings', ({ skip }) => {
  const guide = text('../docs/operations/kubernetes.md')
  const own = /```yaml\n([^`]+)```/.exec(guide)?.[1] ?? ''
  const base = relative(realpathSync(folder), join(deploy, 'kubernetes'))
  writeFileSync(
    join(folder, 'kustomization.yaml'),
    own.replace('../deploy/kubernetes', base).replace("newTag: '1'", "newTag: '2'"),
  )
  const made = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' })
  if (made.error) skip('kubectl is not installed')
  expect(made.stderr).toBe('')
  expect(made.stdout).toContain('GROVE_CONSOLE_URL: https://console.example.com')
  expect(made.stdout).toContain('GROVE_SECRET_FILE: ')
  expect(made.stdout).not.toMatch(/grove\.example\.com/)
  expect(made.stdout.match(/image: registry\.example\.com\/grove:2/g)).toHaveLength(3)
})

test('kustomize makes one whole of it', ({ skip }) => {
  const made = spawnSync('kubectl', ['kustomize', join(deploy, 'kubernetes')], { encoding: 'utf8' })
  if (made.error) skip('kubectl is not installed')
  expect(made.stderr).toBe('')
  const whole = parseAllDocuments(made.stdout).map((document) => document.toJS() as Item)
  expect(whole).toHaveLength(items.length + 1)
  const map = whole.find(({ kind }) => kind === 'ConfigMap')?.metadata.name
  expect(map).toMatch(/^grove-\w+$/)
  // Every process reads the map that has the settings of today.
  expect(made.stdout.match(new RegExp(`name: ${map}$`, 'gm'))).toHaveLength(4)
})

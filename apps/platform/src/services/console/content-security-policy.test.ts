import { expect, test } from 'vitest'
import { readConfig } from '../../core/config.ts'
import { contentSecurityPolicy } from './content-security-policy.ts'
import { readSettings } from './settings.ts'
import { stageConfiguration } from './stage.ts'

const versions = { auth: '1', cedar: '1.7', maple: '3' }

test('the console may post the code of an external login to the origin in the settings', () => {
  const policyOf = (env: Record<string, string>) => {
    const settings = readSettings(env, readConfig(env))
    return contentSecurityPolicy(stageConfiguration(settings, versions), '')
  }
  expect(policyOf({})).toContain("connect-src 'self';")
  const env = { GROVE_AUTH_CALLBACK_URL: 'https://broker.example.com/cb' }
  expect(policyOf(env)).toContain("connect-src 'self' https://broker.example.com;")
})

test('the page’s inline script runs by its hash, and no other inline script does', () => {
  const settings = readSettings({}, readConfig({}))
  const html = `<script type="application/json" id="stage">{}</script>
    <script data-chunks="{}">document.title</script><script src="/a.js"></script>`
  const policy = contentSecurityPolicy(stageConfiguration(settings, versions), html)
  // echo -n 'document.title' | openssl dgst -sha256 -binary | base64
  expect(policy).toContain(
    "script-src 'self' 'sha256-o3vzFSF4YhB5rDb5tpELAmIlJDq+2XOarY4IDsOum1c=';",
  )
  expect(policy).not.toContain('unsafe')
})

test('no policy may be created that turns texts into scripts', () => {
  const policy = contentSecurityPolicy(
    stageConfiguration(readSettings({}, readConfig({})), versions),
    '',
  )
  expect(policy.split('; ')).toEqual(
    expect.arrayContaining(["require-trusted-types-for 'script'", "trusted-types 'none'"]),
  )
})

test('the console is told the roles of a third-party service', () => {
  const env = {
    GROVE_AUTH_TOKENS: 'foreign',
    GROVE_AUTH_ROLES_CLAIM: 'realm_access.roles',
    GROVE_AUTH_DASHBOARD_ROLES: 'a, b',
    GROVE_AUTH_ADMIN_ROLES: 'c',
  }
  expect(readSettings(env, readConfig(env)).addresses).toMatchObject({
    auth_roles_claim: ['realm_access', 'roles'],
    auth_dashboard_roles: ['a', 'b', 'c'],
    auth_admin_roles: ['c'],
  })
})

test('the console shows only frames of previews, and none if they are off', () => {
  const stage = stageConfiguration(readSettings({}, readConfig({})), versions)
  expect(contentSecurityPolicy(stage, '')).toContain("frame-src 'none';")
  expect(contentSecurityPolicy(stage, '', 'http://*.localhost:3001')).toContain(
    'frame-src http://*.localhost:3001;',
  )
})

import { expect, test } from 'vitest'
import { firstWorkingProvider, rolesOf } from './derived-role.rules.ts'

const nobody = { isDeveloper: false, isAdmin: false }
const developer = { isDeveloper: true, isAdmin: false }
const withKey = { isDefault: false, mobyApiKey: '••••9f3a' }

test('a person without a dashboard role is a customer, whatever the provider', () => {
  expect([...rolesOf(nobody, withKey)]).toEqual(['Customer'])
})

test('a developer is a MapleDeveloper with a provider that has a key and is not generic', () => {
  expect([...rolesOf(developer, withKey)]).toEqual(['Developer', 'MapleDeveloper'])
  const others = [
    undefined,
    { isDefault: true, mobyApiKey: '••••9f3a' },
    { isDefault: false, mobyApiKey: null },
    { isDefault: false, mobyApiKey: '' },
    { isDefault: false },
  ]
  for (const provider of others) expect([...rolesOf(developer, provider)]).toEqual(['Developer'])
})

test('an admin is an Admin, and a MapleDeveloper only as a developer', () => {
  expect([...rolesOf({ isDeveloper: false, isAdmin: true }, withKey)]).toEqual(['Admin'])
  expect([...rolesOf({ isDeveloper: true, isAdmin: true }, withKey)]).toEqual([
    'Developer',
    'MapleDeveloper',
    'Admin',
  ])
})

test('the working provider is the first organisation that the user owns', () => {
  const providers = [
    { id: 'generic', ownerId: 'anna', isDefault: true },
    { id: 'boris’s', ownerId: 'boris', isDefault: false },
    { id: 'first', ownerId: 'anna', isDefault: false },
    { id: 'second', ownerId: 'anna', isDefault: false },
  ]
  expect(firstWorkingProvider(providers, 'anna')?.id).toBe('first')
  expect(firstWorkingProvider(providers, 'carla')).toBeUndefined()
  expect(firstWorkingProvider(providers, null)).toBeUndefined()
})

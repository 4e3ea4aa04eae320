import { expect, test } from 'vitest'
import { isAdmin, processActor, type AnyActor } from './actor.ts'
import { ProblemError } from './http/problem.ts'
import { definePolicy, refusal, withoutRights } from './policy.ts'

interface Tree {
  isProtected: boolean
  height: number
}

const { can, assertAllowed, rightsOf } = definePolicy({
  'tree.fell': ({ isProtected }: Tree) =>
    isProtected ? refusal('transition_refused', 'A protected tree stays.') : null,
  'tree.measure': (_tree: Tree, actor: AnyActor) =>
    isAdmin(actor) ? null : refusal('forbidden', 'Admins alone measure trees.'),
})

const anyone = processActor('test')
const admin = { ...anyone, roles: ['ADMIN'] }
const oak = { isProtected: true, height: 30 }
const birch = { isProtected: false, height: 20 }

test('a rule sees the object and the actor', () => {
  expect(can(anyone, 'tree.fell', oak)).toEqual({
    code: 'transition_refused',
    detail: 'A protected tree stays.',
  })
  expect(can(anyone, 'tree.fell', birch)).toBeNull()
  expect(can(anyone, 'tree.measure', birch)?.code).toBe('forbidden')
  expect(can(admin, 'tree.measure', birch)).toBeNull()
})

test('what the table refuses, a service refuses with the same problem', () => {
  expect(() => assertAllowed(anyone, 'tree.fell', birch)).not.toThrow()
  const refused = expect(() => assertAllowed(anyone, 'tree.fell', oak))
  refused.toThrow(ProblemError)
  refused.toThrow(expect.objectContaining({ code: 'transition_refused', status: 409 }))
})

test('an action that no rule names is refused', () => {
  expect(() => can(anyone, 'tree.climb' as never, birch as never)).toThrow('tree.climb')
})

test('rights are the refusals’ codes, under the contract’s names', () => {
  const names = { fell: 'tree.fell', measure: 'tree.measure' } as const
  expect(rightsOf(anyone, oak, names)).toEqual({ fell: 'transition_refused', measure: 'forbidden' })
  expect(rightsOf(admin, birch, names)).toEqual({ fell: null, measure: null })
})

test('an event stores an object without its rights', () => {
  expect(withoutRights({ ...oak, rights: { fell: null } })).toEqual(oak)
})

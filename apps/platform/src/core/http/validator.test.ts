import { expect, test } from 'vitest'
import { calls } from '@grove/contract/calls'
import type { Call } from '@grove/contract/call'
import { compileSerializer, publicValidatorFor, validatorFor } from './validator.ts'

// They are compiled at their first use, so no start would tell.
test('every schema of the contract compiles', () => {
  const broken = Object.entries<Call>(calls).filter(([, { params, query, body, response }]) => {
    try {
      for (const [part, schema] of Object.entries({ params, query, body }))
        if (schema)
          for (const compile of [validatorFor, publicValidatorFor]) compile(schema, part)({})
      compileSerializer(response)
      return false
    } catch {
      return true
    }
  })
  expect(broken.map(([key]) => key)).toEqual([])
})

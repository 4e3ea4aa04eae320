import { Type } from 'typebox'
import { defineCalls } from '../call.ts'
import { ServiceCalls } from '../shapes.ts'

export const cedarAboutCalls = defineCalls('cedar', {
  'GET /api/cedar/about': {
    summary: 'Describe the service',
    access: 'signedIn',
    response: Type.Object({
      name: Type.Literal('cedar'),
      /** The accepted values of the `api-version` header. */
      apiVersion: Type.String(),
      calls: ServiceCalls,
    }),
  },
})

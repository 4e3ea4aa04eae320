import { auth } from '../app/auth.ts'
import { stage } from '../app/stage.ts'
import { servicesOf } from './address.ts'
import { createApi } from './create-api.ts'

export const services = servicesOf(stage)
export const api = createApi({ fetch: (input, init) => auth.fetch(input, init), services })

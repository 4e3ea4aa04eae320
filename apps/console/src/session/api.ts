import { createApi } from '../api/create-api.ts'
import type { Services } from '../api/types.ts'
import { auth } from './auth.ts'
import { stage } from './stage.ts'

const { default: addresses, settings } = stage

export const services: Services = {
  auth: { url: addresses.auth_api_url ?? '', apiVersion: settings.authApiVersion },
  cedar: { url: addresses.cedar_api_url ?? '', apiVersion: settings.cedarApiVersion },
  maple: { url: addresses.maple_api_url ?? '', apiVersion: settings.mapleApiVersion },
}

/** The services of this stage, called with the session's token. */
export const api = createApi({
  fetch: (input, init) => auth.fetch(input, init),
  services,
  authorization: {
    current: () => auth.getAuthorization(),
    renew: async () => ((await auth.refresh()) ? auth.getAuthorization() : null),
  },
})

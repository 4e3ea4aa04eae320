import type { Services } from '../api/types.ts'
import { stage } from './stage.ts'

const { default: addresses, settings } = stage

/** Where the services of this stage are; '' is the page's own origin. */
export const services: Services = {
  auth: { url: addresses.auth_api_url ?? '', apiVersion: settings.authApiVersion },
  cedar: { url: addresses.cedar_api_url ?? '', apiVersion: settings.cedarApiVersion },
  maple: { url: addresses.maple_api_url ?? '', apiVersion: settings.mapleApiVersion },
}

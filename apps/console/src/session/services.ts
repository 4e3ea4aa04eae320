import type { Services } from '../api/types.ts'
import { stage } from './stage.ts'

const { default: addresses, settings } = stage

/** The base URLs of this stage's services; '' is the page's own origin. */
export const services: Services = {
  auth: { url: addresses.auth_api_url ?? '', apiVersion: settings.authApiVersion },
  cedar: { url: addresses.cedar_api_url ?? '', apiVersion: settings.cedarApiVersion },
  maple: { url: addresses.maple_api_url ?? '', apiVersion: settings.mapleApiVersion },
}

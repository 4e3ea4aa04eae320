import { queryOptions } from '@tanstack/react-query'
import { api } from '../../../../session/api.ts'
import { authorityPath, liveMs } from '../certificate/certificate.api.ts'

export const authoritiesQuery = (productId: string) =>
  queryOptions({
    ...api.maple.query(authorityPath, { query: { productId } }),
    refetchInterval: liveMs,
  })

export const certificatesQuery = (id: string) =>
  queryOptions({
    ...api.maple.query(`${authorityPath}/{id}/certificates`, { params: { id } }),
    refetchInterval: liveMs,
  })

/** The openssl commands that create an authority, and that prove possession of its key. */
export const makeCommand = `openssl ecparam -name prime256v1 -genkey -noout -out ca.key
openssl req -x509 -new -key ca.key -subj "/CN=Factory 7" -days 3650 -out ca.crt -addext "basicConstraints=critical,CA:TRUE" -addext "keyUsage=critical,keyCertSign,cRLSign"`
export const proofCommand = (challenge: string): string =>
  `printf %s "${challenge}" | openssl dgst -sha256 -sign ca.key | openssl base64 -A`

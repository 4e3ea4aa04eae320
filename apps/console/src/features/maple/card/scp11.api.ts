import { api } from '../../../session/api.ts'

export const scp11Path = '/api/maple/se/scp11'

/** The SCP11 credentials that can open an element. */
export const credentialsQuery = (cplc: string) => api.maple.query(scp11Path, { query: { cplc } })

import { api } from '../../../session/api.ts'

export const linksQuery = (id: string) =>
  api.cedar.query('/api/developer/product/{id}/link', { params: { id } })

export const opensQuery = (id: string, days: number) =>
  api.cedar.query('/api/developer/product/{id}/opens', { params: { id }, query: { days } })

export const refreshLinks = () => api.cedar.invalidate('/api/developer/product')

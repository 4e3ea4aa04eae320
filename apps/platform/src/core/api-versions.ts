/** spec §9 "Api versions": what each service answers. */
export const apiVersions = { auth: '1', cedar: '1.7', maple: '3' } as const

export type ApiName = keyof typeof apiVersions

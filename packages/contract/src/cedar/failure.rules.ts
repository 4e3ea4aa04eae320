export const failureKinds = ['notification', 'package'] as const
export type FailureKind = (typeof failureKinds)[number]
export const failureDays = 7
export const mostFailures = 20

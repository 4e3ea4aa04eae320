import { sortedBy } from '../../page.rules.ts'

/**
 * Changes that need approval, and by how many other people. What runs them is in
 * `approval/approval-actions.ts` of the service.
 */
export const approvalsNeeded = {
  'card.sign': 1,
  'element.hsm': 2,
  'element.terminate': 1,
  'key.export': 2,
  'rollout.start': 1,
  'token.sign': 1,
} as const
export type ApprovalAction = keyof typeof approvalsNeeded
/** Whether the subject is an element. */
export const isOfElement = (action: ApprovalAction): boolean =>
  action !== 'card.sign' && action !== 'rollout.start'
export const approvalActions = Object.keys(approvalsNeeded) as ApprovalAction[]

export const approvalStates = ['pending', 'approved', 'refused', 'withdrawn', 'expired'] as const
export type ApprovalState = (typeof approvalStates)[number]

/** Requests without a decision expire after this time. */
export const approvalDays = 7

export const maxApprovalCommentLength = 500

export const approvalSorting = sortedBy(['createdAt'], 'createdAt', 'desc')

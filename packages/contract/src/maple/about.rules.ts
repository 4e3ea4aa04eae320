/** The overview counts the devices registered on each of this many days, today included (UTC). */
export const growthDays = 30

/** The overview counts at most this many accounts and jobs. */
export const aboutCountLimit = 10_000

/**
 * Why Grove is not connected to the broker of MQTT_URL: it is not responding, it refuses the account
 * or its subscriptions, or no gateway is running.
 */
export const brokerProblems = ['unreachable', 'refused', 'no_gateway'] as const
export type BrokerProblem = (typeof brokerProblems)[number]

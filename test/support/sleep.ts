/** Waits in real time, or in that of a test that has faked its timers. What a test waits for is better named: `eventually`. */
export const sleep = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))

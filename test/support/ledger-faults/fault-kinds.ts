/** The kinds of faults that the ledger must survive. */
import type { Dice } from './dice.js';
import { GENERAL, GROUPS, HOME, type FaultKind, type ProcessOptions, type World } from './world.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const BASE = { untilMs: 5 * MINUTE_MS, mix: { home: 1 }, binding: HOME } as const;
const GENERAL_ONLY = { ...BASE, mix: { general: 1 }, binding: GENERAL } as const;
const MIXED = { ...BASE, mix: { home: 0.7, general: 0.3 } } as const;
const SERVER = { ...BASE, mix: { home: 0.6, general: 0.4 }, isOnServer: true } as const;
const KILLS = { killAtGrant: 0.004, killAfterSend: 0.006, killBeforeSettle: 0.006 } as const;
const BANS = {
  ...BASE,
  untilMs: 2 * HOUR_MS,
  mix: { home: 0.5, general: 0.5 },
  concurrency: () => 2,
  enforce: true,
  spuriousBan: 0.002,
  banMs: 400_000,
} as const;

const several = (dice: Dice): number => 2 + Math.floor(dice.value() * 9);

function startAll(world: World, count: number, options?: (index: number) => ProcessOptions): void {
  const kernel = world.kernels[0] ?? world.boot();
  for (let index = 0; index < count; index += 1) {
    world.loop.after(world.dice.between(0, 800), () => {
      world.start(kernel, options?.(index));
    });
  }
}

const startSeveral = (world: World): void => {
  startAll(world, several(world.dice));
};

/** Repeats an action at random times. */
function every(world: World, meanMs: number, action: () => void): void {
  world.loop.after(world.dice.interval(meanMs), () => {
    action();
    if (world.isOpen) every(world, meanMs, action);
  });
}

function anyProcess(world: World) {
  return world.dice.pick([...world.processes]);
}

function joinAndLeave(world: World): void {
  every(world, 40_000, () => {
    const { dice, processes } = world;
    if (processes.size > 3 && dice.chance(0.5)) world.kill(anyProcess(world));
    else if (processes.size < 12) world.start(world.kernels[0]);
  });
}

function killRepeatedly(world: World, meanMs: number): void {
  every(world, meanMs, () => {
    if (world.processes.size > 0) world.kill(anyProcess(world));
    if (world.processes.size >= 3 && !world.dice.chance(0.7)) return;
    world.loop.after(world.dice.between(0, 2_000), () => {
      world.start(world.kernels[0]);
    });
  });
}

function stopRepeatedly(world: World, meanMs: number): void {
  every(world, meanMs, () => {
    if (world.processes.size > 0) world.stop(anyProcess(world), world.dice.between(1_000, 300_000));
  });
}

function rebootRepeatedly(world: World, meanMs: number, count: number): void {
  every(world, meanMs, () => {
    const [kernel] = world.kernels;
    if (!kernel) return;
    world.shutDown(kernel);
    if (world.dice.chance(0.3)) {
      if (world.dice.chance(0.5)) world.store.lose('damaged');
      else world.restore();
    }
    world.loop.after(world.dice.between(8_000, 40_000), () => {
      if (world.kernels.length === 0) startAll(world, count);
    });
  });
}

function startTwoKernels(world: World): void {
  startAll(world, 3);
  world.loop.after(world.dice.between(0, 100_000), () => {
    const kernel = world.boot();
    for (let index = 0; index < 3; index += 1) world.start(kernel);
  });
}

function otherPrograms(world: World): void {
  startSeveral(world);
  every(world, 4_000, () => {
    world.service.serve({ quotas: GROUPS.home }, world.loop.nowMs);
  });
}

const TWO_KERNELS: Omit<FaultKind, 'setup'> = {
  ...MIXED,
  untilMs: 400_000,
  hasTwoKernels: true,
  slowNetwork: true,
  wallErrorMs: 5_000,
  uptimeMs: 400_000,
};

const leaveTheFirst = (world: World): void => {
  startTwoKernels(world);
  world.loop.after(200_000, () => {
    const [first] = world.kernels;
    for (const process of [...world.processes]) if (process.kernel === first) world.kill(process);
  });
};

/** Without faults, or with those of processes and machines. */
export const PROCESS_FAULTS: Readonly<Record<string, FaultKind>> = {
  'none, chapters': { ...BASE, setup: startSeveral },
  'none, titles': { ...GENERAL_ONLY, untilMs: 90_000, setup: startSeveral },
  'none, mixed': { ...BASE, mix: { home: 0.5, general: 0.5 }, setup: startSeveral },
  'one wants 30 at once': {
    ...GENERAL_ONLY,
    untilMs: 200_000,
    setup: (world) => {
      startAll(world, 8, (index) => ({ concurrency: index === 0 ? 30 : 1 }));
    },
  },
  'titles beside chapters': {
    ...BASE,
    setup: (world) => {
      startAll(world, 10);
      const mix = { general: 1 };
      for (let index = 0; index < 2; index += 1)
        world.start(world.kernels[0], { mix, concurrency: 2 });
    },
  },
  'a quota of an hour beside chapters': {
    ...BASE,
    untilMs: 2.5 * HOUR_MS,
    setup: (world) => {
      startAll(world, 1 + Math.floor(world.dice.value() * 2));
      for (let index = 0; index < 2; index += 1)
        world.start(world.kernels[0], { mix: { hour: 1 } });
    },
  },
  'joins and leaves': {
    ...BASE,
    setup: (world) => {
      startSeveral(world);
      joinAndLeave(world);
    },
  },
  'slow and lost answers': { ...BASE, slowNetwork: true, setup: startSeveral },
  'slow and lost answers, titles': {
    ...GENERAL_ONLY,
    untilMs: 120_000,
    slowNetwork: true,
    setup: startSeveral,
  },
  'slow transactions and late timers': {
    ...BASE,
    mix: { home: 0.6, general: 0.4 },
    slowTransactions: 0.2,
    lateTimers: 0.3,
    setup: startSeveral,
  },
  'kills, chapters': {
    ...BASE,
    ...KILLS,
    setup: (world) => {
      startSeveral(world);
      killRepeatedly(world, 15_000);
    },
  },
  'kills, titles': {
    ...GENERAL_ONLY,
    ...KILLS,
    untilMs: 150_000,
    setup: (world) => {
      startSeveral(world);
      killRepeatedly(world, 8_000);
    },
  },
  'kills, slow network': {
    ...BASE,
    ...KILLS,
    mix: { home: 0.5, general: 0.5 },
    slowNetwork: true,
    setup: (world) => {
      startSeveral(world);
      killRepeatedly(world, 15_000);
    },
  },
  'all killed, one starts at once': {
    ...GENERAL_ONLY,
    untilMs: 100_000,
    responseMs: (dice) => dice.between(300, 700),
    concurrency: () => 5,
    setup: (world) => {
      startAll(world, 2);
      world.loop.after(30_000, () => {
        for (const process of [...world.processes]) world.kill(process);
        world.start(world.kernels[0]);
      });
    },
  },
  'suspended anywhere': {
    ...BASE,
    untilMs: 400_000,
    setup: (world) => {
      startSeveral(world);
      stopRepeatedly(world, 12_000);
    },
  },
  'suspended after a grant': { ...BASE, untilMs: 400_000, stopAtGrant: 0.04, setup: startSeveral },
  'suspended after a grant, titles': {
    ...GENERAL_ONLY,
    stopAtGrant: 0.01,
    setup: (world) => {
      startAll(world, 6 + several(world.dice));
    },
  },
  'suspended after a grant, slow network': {
    ...BASE,
    mix: { general: 0.8, home: 0.2 },
    slowNetwork: true,
    stopAtGrant: 0.03,
    maxStopMs: 45_000,
    setup: (world) => {
      startAll(world, 8 + several(world.dice));
    },
  },
  'suspended after a grant, then a slow request': {
    ...GENERAL_ONLY,
    stopAtGrant: 0.005,
    maxStopMs: 40_000,
    slowAfterStop: true,
    setup: (world) => {
      startAll(world, 12);
    },
  },
  'suspended between check and write': {
    ...BASE,
    mix: { general: 0.5, home: 0.5 },
    stopBeforeWrite: 0.01,
    setup: (world) => {
      startAll(world, 4 + several(world.dice));
    },
  },
  'held by the network for two minutes': {
    ...BASE,
    mix: { general: 0.8, home: 0.2 },
    heldRequests: 0.01,
    setup: (world) => {
      startSeveral(world);
      killRepeatedly(world, 20_000);
      stopRepeatedly(world, 40_000);
    },
  },
  '40 processes': {
    ...BASE,
    untilMs: 15 * MINUTE_MS,
    concurrency: () => 4,
    setup: (world) => {
      startAll(world, 40);
    },
  },
};

/** Faults of the file, of kernels, and of the service. */
export const LEDGER_FAULTS: Readonly<Record<string, FaultKind>> = {
  deleted: {
    ...MIXED,
    slowNetwork: true,
    setup: (world) => {
      startSeveral(world);
      joinAndLeave(world);
      every(world, MINUTE_MS, () => {
        if (world.dice.chance(0.5)) world.store.hasLockFile = false;
        world.store.lose(undefined);
      });
    },
  },
  'damaged and torn': {
    ...MIXED,
    slowNetwork: true,
    torn: 0.0005,
    setup: (world) => {
      startSeveral(world);
      joinAndLeave(world);
      every(world, MINUTE_MS, () => {
        world.store.lose('damaged');
      });
    },
  },
  'an older copy': {
    ...MIXED,
    slowNetwork: true,
    setup: (world) => {
      startSeveral(world);
      joinAndLeave(world);
      every(world, 50_000, () => {
        world.restore();
      });
    },
  },
  'reboots with a wrong wall clock': {
    ...MIXED,
    untilMs: 420_000,
    slowNetwork: true,
    wallErrorMs: 2e7,
    uptimeMs: 5_000,
    setup: (world) => {
      const count = several(world.dice);
      startAll(world, count);
      rebootRepeatedly(world, 100_000, count);
    },
  },
  'two kernels': { ...TWO_KERNELS, setup: leaveTheFirst },
  'two kernels without common locks': {
    ...TWO_KERNELS,
    hasNoLocks: true,
    setup: leaveTheFirst,
  },
  'two kernels, wall clocks hours apart': {
    ...TWO_KERNELS,
    wallErrorMs: 2e7,
    setup: startTwoKernels,
  },
  'other programs, sliding windows': { ...BASE, window: 'sliding', setup: otherPrograms },
  'other programs, fixed windows': { ...BASE, window: 'fixed', setup: otherPrograms },
  'a lower limit, sliding windows': {
    ...BASE,
    window: 'sliding',
    announced: 25,
    setup: startSeveral,
  },
  'a lower limit, fixed windows': { ...BASE, window: 'fixed', announced: 25, setup: startSeveral },
  '429 with and without a time': {
    ...BASE,
    untilMs: 10 * MINUTE_MS,
    mix: { home: 0.5, general: 0.5 },
    slowNetwork: true,
    enforce: true,
    spurious429: 0.01,
    banMs: MINUTE_MS,
    setup: (world) => {
      startAll(world, 3 + several(world.dice));
    },
  },
  bans: {
    ...BANS,
    setup: (world) => {
      startAll(world, 3);
    },
  },
  'bans, and the probe is killed or suspended': {
    ...BANS,
    slowNetwork: true,
    killAfterSend: 0.02,
    killAtGrant: 0.01,
    stopAtGrant: 0.01,
    setup: restartAfterKills,
  },
  'long bans, and the probe is killed or suspended': {
    ...BANS,
    slowNetwork: true,
    spuriousBan: 0.0005,
    banMs: 1_500_000,
    killProbe: 0.8,
    setup: restartAfterKills,
  },
  'all at once': {
    ...BASE,
    ...KILLS,
    untilMs: 10 * MINUTE_MS,
    mix: { home: 0.5, general: 0.5 },
    slowNetwork: true,
    slowTransactions: 0.02,
    lateTimers: 0.05,
    stopAtGrant: 0.003,
    torn: 0.00005,
    spurious429: 0.001,
    banMs: MINUTE_MS,
    setup: (world) => {
      startAll(world, 3 + several(world.dice));
      killRepeatedly(world, 30_000);
      stopRepeatedly(world, 30_000);
      every(world, 150_000, () => {
        world.store.lose(world.dice.chance(0.5) ? undefined : 'damaged');
      });
      rebootRepeatedly(world, 250_000, 5);
    },
  },
};

function restartAfterKills(world: World): void {
  startAll(world, 3);
  every(world, 5_000, () => {
    if (world.processes.size < 3) world.start(world.kernels[0]);
  });
}

/** Faults of a server. */
export const SERVER_FAULTS: Readonly<Record<string, FaultKind>> = {
  'a server': { ...SERVER, setup: startSeveral },
  'a server, one client': {
    ...SERVER,
    setup: (world) => {
      startAll(world, 1);
    },
  },
  'a server, titles': { ...SERVER, ...GENERAL_ONLY, untilMs: 90_000, setup: startSeveral },
  'a server, 40 clients, two of them slow': {
    ...SERVER,
    ...GENERAL_ONLY,
    untilMs: 240_000,
    concurrency: () => 2,
    setup: (world) => {
      startAll(world, 40, (index) => ({ isSlow: index < 2 }));
    },
  },
  'lost replies and partitions': {
    ...SERVER,
    lostReplies: 0.03,
    slowReplies: 0.01,
    slowNetwork: true,
    setup: (world) => {
      startSeveral(world);
      every(world, MINUTE_MS, () => {
        if (world.processes.size === 0) return;
        const process = anyProcess(world);
        process.cutOffUntilMs = world.loop.nowMs + world.dice.between(1_000, 60_000);
        process.isTouched = true;
      });
    },
  },
  'a server that restarts empty': {
    ...SERVER,
    untilMs: 420_000,
    slowNetwork: true,
    lostReplies: 0.01,
    setup: serverFault((world) => {
      if (!world.server) return;
      world.server.run += 1;
      world.server.downUntilMs = world.loop.nowMs + world.dice.between(0, 5_000);
      world.store.lose(undefined);
    }),
  },
  'a server that fails over to older data': {
    ...SERVER,
    untilMs: 420_000,
    slowNetwork: true,
    setup: serverFault((world) => {
      if (world.server) world.server.run += 1;
      world.restore();
    }),
  },
  'a server with older data in the same run': {
    ...SERVER,
    untilMs: 420_000,
    slowNetwork: true,
    setup: serverFault((world) => {
      world.restore();
    }),
  },
  'a server’s clock that steps back': {
    ...SERVER,
    untilMs: 420_000,
    slowNetwork: true,
    setup: serverFault((world) => {
      world.stepServer(-world.dice.between(100, HOUR_MS));
    }),
  },
  'a server’s clock that steps ahead': {
    ...SERVER,
    untilMs: 420_000,
    slowNetwork: true,
    setup: serverFault((world) => {
      world.stepServer(world.dice.between(100, HOUR_MS));
    }),
  },
  'a server, suspensions and sleeping laptops': {
    ...SERVER,
    untilMs: 420_000,
    slowNetwork: true,
    stopAtGrant: 0.01,
    setup: (world) => {
      startSeveral(world);
      const laptop = world.boot();
      for (let index = 0; index < 3; index += 1) world.start(laptop);
      stopRepeatedly(world, 30_000);
      every(world, 40_000, () => {
        if (laptop.asleepSinceMs === undefined)
          world.sleep(laptop, world.dice.between(5_000, 200_000));
      });
    },
  },
  'a server, laptops that sleep after a grant': {
    ...SERVER,
    untilMs: 420_000,
    mix: { home: 0.4, general: 0.6 },
    slowNetwork: true,
    sleepAtGrant: 0.02,
    setup: (world) => {
      startAll(world, 3 + several(world.dice));
      const laptop = world.boot();
      for (let index = 0; index < 4; index += 1) world.start(laptop);
    },
  },
};

function serverFault(fault: (world: World) => void): (world: World) => void {
  return (world) => {
    startSeveral(world);
    every(world, 120_000, () => {
      fault(world);
    });
  };
}

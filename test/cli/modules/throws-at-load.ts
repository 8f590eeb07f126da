throw new Error('this module does not want to be loaded');
